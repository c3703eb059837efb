import NIOCore

extension HTTPURL {
    /// Whether the host is an address rather than a name that has to be looked up.
    var hostIsAddress: Bool { (try? SocketAddress(ipAddress: hostToResolve, port: port)) != nil }
}
