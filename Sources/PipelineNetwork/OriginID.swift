/// Where requests go: a scheme, a host and a port. All that is measured and limited belongs to one of these.
public struct OriginID: Hashable, Sendable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// The host's name or address, in lower case.
    public let host: String
    /// The port, also where the URL left it out.
    public let port: Int

    /// The origin of a URL of these parts.
    public init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port
    }

    /// `https://api.example.org`, with the port where it is not the scheme's own.
    public var description: String {
        let isUsual = port == (scheme == "https" ? 443 : 80)
        let host = host.contains(":") ? "[\(host)]" : host
        return isUsual ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}
