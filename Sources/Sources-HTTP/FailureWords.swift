internal import PipelineConfig

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import Pipeline

/// What the network and the client report, in words for people.
struct FailureWords {
    let url: HTTPURL
    let maxSize: Size

    /// The error to throw for `cause`: a cancellation stays one, and so does what has its words already.
    func error(for cause: any Error) -> any Error {
        if Task.isCancelled || cause is CancellationError { return CancellationError() }
        if cause is SourceError { return cause }
        switch cause {
        case NIOHTTPDecompression.DecompressionError.limit: return tooLarge(cause)
        case let error as NIOHTTPDecompression.ExtraDecompressionError where error == .truncatedData:
            return SourceError("the compressed body from \(url.place) is cut short", cause: cause)
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            return SourceError(invalid: "the compressed body from \(url.place) cannot be decoded", cause: cause)
        case _ where isUntrusted(cause):
            let reason = "it is out of date, or its authority is unknown (name that in `ca_file`)"
            return SourceError(refused: "TLS: the certificate of \(url.authority) is not trusted: \(reason)", cause: cause)
        case is NamelessCertificate:
            return SourceError(
                refused: "TLS: the certificate of \(url.authority) names no host: it has no subject alternative name", cause: cause)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            return SourceError(refused: "TLS: the certificate is not one of \(url.host)", cause: cause)
        default: return SourceError(words(for: cause), cause: cause)
        }
    }

    /// A body over the limit.
    func tooLarge(_ cause: (any Error)? = nil) -> SourceError {
        SourceError("the body from \(url.place) is larger than max_size (\(maxSize.written ?? "\(maxSize.bytes)"))", cause: cause)
    }

    /// An answer that ended early.
    func cutShort(_ cause: (any Error)? = nil) -> SourceError {
        SourceError("the connection was closed before the answer was whole", cause: cause)
    }

    private func words(for cause: any Error) -> String {
        switch cause {
        case let error as HTTPClientError: words(for: error)
        case let error as LostConnection: error.cause.map(words) ?? cutShort().reason
        case let error as ImpossibleStatus: "the answer from \(url.authority) is not HTTP: its status is \(error.text)"
        case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection: cutShort().reason
        case is HTTPParserError, is NIOHTTPDecoderError: "the answer from \(url.authority) is not HTTP: \(cause)"
        case let error as IOError: words(for: error)
        case let error as NIOConnectionError: words(for: error)
        case let error as ChannelError: words(for: error)
        default: tlsWords(for: cause) ?? "cannot ask \(url.authority): \(cause)"
        }
    }

    private func words(for error: HTTPClientError) -> String {
        let limit = SharedClients.connectTimeout.written ?? ""
        return switch error {
        case .remoteConnectionClosed: cutShort().reason
        case .connectTimeout: "no connection to \(url.authority) within \(limit)"
        case .tlsHandshakeTimeout: "TLS: no handshake with \(url.authority) within \(limit)"
        case .getConnectionFromPoolTimeout: "no free connection to \(url.authority) within \(limit)"
        case .alreadyShutdown, .cancelled: "the source is closed"
        default: "cannot ask \(url.authority): \(error.shortDescription)"
        }
    }

    private func words(for error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "connection refused by \(url.authority)"
        case ECONNRESET, EPIPE, ENOTCONN: cutShort().reason
        case EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN: "cannot reach \(url.authority)"
        case ETIMEDOUT: "no connection to \(url.authority)"
        default: "cannot ask \(url.authority): \(error)"
        }
    }

    private func words(for error: NIOConnectionError) -> String {
        let failures = error.connectionErrors.map(\.error)
        let refused = failures.first { ($0 as? IOError)?.errnoCode == ECONNREFUSED }
        if let failure = refused ?? failures.first { return words(for: failure) }
        return "cannot resolve host \(url.host)"
    }

    private func words(for error: ChannelError) -> String {
        switch error {
        case .connectTimeout(let limit): "no connection to \(url.authority) within \(Duration.nanoseconds(limit.nanoseconds).written ?? "")"
        case .ioOnClosedChannel, .alreadyClosed, .eof, .inputClosed, .outputClosed: cutShort().reason
        default: "cannot ask \(url.authority): \(error)"
        }
    }

    private func tlsWords(for cause: any Error) -> String? {
        switch cause {
        case NIOSSLError.uncleanShutdown: cutShort().reason
        case NIOSSLError.handshakeFailed(.sslError(let stack)): words(for: stack.first.map(Self.reason) ?? "handshake failed")
        case NIOSSLError.handshakeFailed: "TLS: handshake failed"
        case is NIOSSLError, is BoringSSLError: "TLS: \(cause)"
        case is NIOSSLExtraError: "TLS: \(cause)"
        default: nil
        }
    }

    private func words(for reason: String) -> String {
        switch reason {
        case "wrong version number", "http request", "https proxy request": "\(url.authority) does not use TLS: did you mean `http://`?"
        case "tlsv1 alert protocol version", "unsupported protocol": "TLS: \(url.authority) speaks no version from 1.2 on"
        default: "TLS: \(reason)"
        }
    }

    /// Whether the server was reached, and its certificate is not signed by a known authority, or has expired.
    private func isUntrusted(_ cause: any Error) -> Bool {
        guard case NIOSSLError.handshakeFailed(.sslError(let stack)) = cause else { return false }
        return stack.contains { Self.reason(of: $0) == "certificate verify failed" }
    }

    /// `certificate verify failed` from `error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at FILE:LINE`.
    private static func reason(of error: BoringSSLInternalError) -> String {
        let parts = error.description.split(separator: ":")
        guard let library = parts.firstIndex(of: "OPENSSL_internal"), library + 1 < parts.count else { return error.description }
        return parts[library + 1].prefix { $0 != " " }.lowercased().split(separator: "_").joined(separator: " ")
    }
}
