import NIOCore

extension HTTPURL {
    /// Whether the host is an address rather than a name that has to be looked up.
    package var hostIsAddress: Bool { (try? SocketAddress(ipAddress: hostToResolve, port: port)) != nil }

    /// The host as TLS names it; nil for an address, which has no name.
    package var serverName: String? { hostIsAddress ? nil : hostToResolve }
}
