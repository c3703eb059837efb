#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
import NIOCore
import NIOPosix
import NIOSSL
import Pipeline

extension RedisURL {
    /// The report of the network, in words for people; an error that has its words already keeps them.
    func error(for cause: any Error) -> SourceError {
        if let error = cause as? SourceError { return error }
        let words = words(for: cause)
        // As the TLS library says that it knows no authority that signed the certificate.
        let isUntrusted = words.hasSuffix("certificate verify failed")
        return SourceError(
            words, help: isUntrusted ? "name the file with the certificate of its authority: `ca_file: PATH`" : nil, cause: cause)
    }

    private func words(for cause: any Error) -> String {
        switch cause {
        case let error as IOError: words(for: error)
        case let error as NIOConnectionError: words(for: error)
        case ChannelError.connectTimeout: "no connection to \(authority)"
        case is ChannelError: "the connection to \(authority) was closed"
        case NIOSSLError.uncleanShutdown: "the connection to \(authority) was closed"
        case NIOSSLError.handshakeFailed(.sslError(let stack)):
            "TLS with \(authority): \(stack.first.map(Self.reason) ?? "handshake failed")"
        case NIOSSLError.handshakeFailed: "TLS with \(authority): handshake failed"
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "TLS with \(authority): the certificate is not one of \(host)"
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: "TLS with \(authority): \(cause)"
        default: "cannot use \(authority): \(cause)"
        }
    }

    private func words(for error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "connection refused by \(authority)"
        case ECONNRESET, EPIPE, ENOTCONN: "the connection to \(authority) was closed"
        case EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN: "cannot reach \(authority)"
        case ETIMEDOUT: "no connection to \(authority)"
        default: "cannot use \(authority): \(String(cString: strerror(error.errnoCode)).lowercased())"
        }
    }

    private func words(for error: NIOConnectionError) -> String {
        let failures = error.connectionErrors.map(\.error)
        let refused = failures.first { ($0 as? IOError)?.errnoCode == ECONNREFUSED }
        if let failure = refused ?? failures.first { return words(for: failure) }
        return "cannot resolve host \(host)"
    }

    /// `certificate verify failed` from `error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at FILE:LINE`.
    private static func reason(of error: BoringSSLInternalError) -> String {
        let parts = error.description.split(separator: ":")
        guard let library = parts.firstIndex(of: "OPENSSL_internal"), library + 1 < parts.count else { return error.description }
        return parts[library + 1].prefix { $0 != " " }.lowercased().split(separator: "_").joined(separator: " ")
    }
}
