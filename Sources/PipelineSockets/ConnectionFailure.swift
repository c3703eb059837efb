package import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
package import Pipeline

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The reports of the network and of TLS on a connection, in words for people.
package struct ConnectionFailure: Sendable {
    let url: HTTPURL
    /// The words for a connection that ended without a reason.
    private let closed: String
    /// The scheme of a URL without TLS.
    private let plain: String

    /// Failures of connections to the host of `url`.
    package init(_ url: HTTPURL, closed: String = "the connection was closed", plain: String = "http") {
        self.url = url
        self.closed = closed
        self.plain = plain
    }

    /// The error that `cause` means: a server whose certificate is not good refuses, anything else is a failure.
    package func error(for cause: any Error) -> SourceError {
        if let error = cause as? SourceError { return error }
        return refusal(for: cause) ?? failure(words(for: cause), for: cause)
    }

    /// The failure that `words` describe; it knows whether the server was reached.
    package func failure(_ words: String, for cause: any Error) -> SourceError {
        var error = SourceError(words, cause: cause)
        error.isUnreached = isUnreached(cause)
        return error
    }

    /// Indicates whether `cause` is that there is no connection: it was refused, the name has no address, there is no way, or nothing
    /// answers.
    private func isUnreached(_ cause: any Error) -> Bool {
        switch cause {
        case let error as IOError:
            [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, ETIMEDOUT].contains(error.errnoCode)
        case is NIOConnectionError, is HostNames.Unknown, ChannelError.connectTimeout: true
        default: false
        }
    }

    /// The error where the server was reached, and its certificate is not good; else nil.
    package func refusal(for cause: any Error) -> SourceError? {
        switch cause {
        case _ where isUntrusted(cause):
            let reason = "it is out of date, or its authority is unknown (name that in `ca_file`)"
            return SourceError(
                "TLS: the certificate of \(url.authority) is not trusted: \(reason)", kind: .refused,
                help: "name the file with the certificate of its authority: `ca_file: PATH`", cause: cause)
        case is NamelessCertificate:
            return SourceError(
                "TLS: the certificate of \(url.authority) names no host: it has no subject alternative name", kind: .refused, cause: cause)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            return SourceError("TLS: the certificate is not one of \(url.host)", kind: .refused, cause: cause)
        default: return nil
        }
    }

    /// Indicates whether `cause` means that there was no connection, and that this was known at once: it was refused, the name has no
    /// address, or there is no way to the host.
    package static func neverConnected(_ cause: any Error) -> Bool {
        switch cause {
        case let error as IOError: [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN].contains(error.errnoCode)
        case is HostNames.Unknown: true
        case let error as NIOConnectionError: error.connectionErrors.allSatisfy { neverConnected($0.error) }
        default: false
        }
    }

    /// The words for any other `cause`.
    package func words(for cause: any Error) -> String {
        switch cause {
        case let error as IOError: words(for: error)
        case let error as NIOConnectionError: words(for: error)
        case is HostNames.Unknown: "cannot resolve host \(url.host)"
        case let error as ChannelError: words(for: error)
        default: tlsWords(for: cause) ?? "cannot ask \(url.authority): \(cause)"
        }
    }

    private func words(for error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "connection refused by \(url.authority)"
        case ECONNRESET, EPIPE, ENOTCONN: closed
        case EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN: "cannot reach \(url.authority)"
        case ETIMEDOUT: "no connection to \(url.authority)"
        default: "cannot ask \(url.authority): \(String(cString: strerror(error.errnoCode)).lowercased())"
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
        case .connectTimeout(let limit): "no connection to \(url.authority) within \(Duration.nanoseconds(limit.nanoseconds).spelling)"
        case .ioOnClosedChannel, .alreadyClosed, .eof, .inputClosed, .outputClosed: closed
        default: "cannot ask \(url.authority): \(error)"
        }
    }

    private func tlsWords(for cause: any Error) -> String? {
        switch cause {
        case NIOSSLError.uncleanShutdown: closed
        case NIOSSLError.handshakeFailed(.sslError(let stack)): words(for: stack.first.map(Self.reason) ?? "handshake failed")
        case NIOSSLError.handshakeFailed: "TLS: handshake failed"
        case is NIOSSLError, is BoringSSLError: "TLS: \(cause)"
        case is NIOSSLExtraError: "TLS: \(cause)"
        default: nil
        }
    }

    private func words(for reason: String) -> String {
        switch reason {
        case "wrong version number", "http request", "https proxy request": "\(url.authority) does not use TLS: did you mean `\(plain)://`?"
        case "tlsv1 alert protocol version", "unsupported protocol": "TLS: \(url.authority) speaks no version from 1.2 on"
        default: "TLS: \(reason)"
        }
    }

    /// Indicates whether the server was reached, and its certificate has an unknown issuer, or has expired.
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

extension ConnectionFailure {
    /// The words for an answer that cannot be read as HTTP; nil for any other `cause`.
    package func unreadableAnswer(_ cause: any Error) -> String? {
        if let error = cause as? AnswerFraming.UnknownCoding {
            return "the answer from \(url.authority) is in the transfer coding `\(error.names.prefix(60))`, which is unknown"
        }
        let problem: String? =
            switch cause {
            case let error as HTTPParserError: Self.problem(error)
            case is NIOHTTPDecoderError: "it came without a request"
            default: nil
            }
        return problem.map { "the answer from \(url.authority) is not HTTP: \($0)" }
    }

    private static func problem(_ error: HTTPParserError) -> String {
        switch error {
        case .invalidConstant: "it does not begin with `HTTP/`"
        case .invalidVersion: "its version is neither 1.0 nor 1.1"
        case .invalidStatus: "its status is not a number of three digits"
        case .headerOverflow: "it has too many header bytes"
        case .invalidHeaderToken: "a header field is malformed"
        case .invalidContentLength, .unexpectedContentLength: "its length is malformed, or said twice"
        case .invalidChunkSize: "the size of a chunk is malformed"
        case .lfExpected, .strictModeAssertion: "a line does not end as it must"
        default: "it is malformed"
        }
    }
}

/// A certificate without a subject alternative name: it says of no host that it is the host's own (RFC 9525, section 2).
package struct NamelessCertificate: Error {
    /// The problem with the certificate of the server behind `channel`; nil without TLS.
    ///
    /// NIOSSL takes the common name in that case, which may hold anything.
    package static func problem(on channel: any Channel) -> NamelessCertificate? {
        guard let certificate = try? channel.pipeline.syncOperations.nioSSL_peerCertificate() else { return nil }
        return certificate._subjectAlternativeNames().isEmpty ? NamelessCertificate() : nil
    }
}
