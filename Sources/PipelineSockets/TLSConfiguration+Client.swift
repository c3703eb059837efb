package import NIOSSL

extension TLSConfiguration {
    /// How connections are made secure: verified, and with TLS 1.2 at least (RFC 8996 retires what came before).
    package static var client: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }
}
