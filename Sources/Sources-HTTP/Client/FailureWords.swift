import AsyncHTTPClient
import NIOHTTP1
import NIOHTTP2
import Pipeline
internal import PipelineConfig
import PipelineSockets

/// The reports of the network and of the client, in words for people.
struct FailureWords {
    let url: HTTPURL
    let maxSize: Size
    var proxy: ProxyAddress?

    /// The error to throw for `cause`: a cancellation stays one, and so does what has its words already.
    func error(for cause: any Error) -> any Error {
        if Task.isCancelled || cause is CancellationError { return CancellationError() }
        if cause is SourceError { return cause }
        switch cause {
        case BodyDecoder.Problem.tooLarge: return tooLarge(cause)
        case BodyDecoder.Problem.cutShort: return SourceError("the compressed body from \(url.place) is cut short", cause: cause)
        case is BodyDecoder.Problem:
            return SourceError("the compressed body from \(url.place) cannot be decoded", kind: .invalid, cause: cause)
        case is AnswerFraming.UnknownCoding: return SourceError(words(for: cause), kind: .invalid, cause: cause)
        default: return connection.refusal(for: cause) ?? connection.failure(words(for: cause), for: cause)
        }
    }

    /// A body over the limit.
    func tooLarge(_ cause: (any Error)? = nil) -> SourceError {
        var error = SourceError(
            "the body from \(url.place) is larger than max_size (\(maxSize.written ?? "\(maxSize.bytes)"))", cause: cause)
        error.retry = .never()
        return error
    }

    /// An answer that ended early.
    func cutShort(_ cause: (any Error)? = nil) -> SourceError {
        SourceError("the connection was closed before the answer was whole", cause: cause)
    }

    private func words(for cause: any Error) -> String {
        if let proxy, proxy.serves(url), ConnectionFailure.neverConnected(cause) {
            return "proxy: \(ConnectionFailure(proxy.url).words(for: cause))"
        }
        return switch cause {
        case let error as HTTPClientError: words(for: error)
        case let error as LostConnection: error.cause.map(words) ?? cutShort().reason
        case let error as ImpossibleStatus: "the answer from \(url.authority) is not HTTP: its status is \(error.text)"
        case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection: cutShort().reason
        case let error as NIOHTTP2Errors.StreamClosed where error.errorCode == .refusedStream:
            "\(url.authority) did not take the request (REFUSED_STREAM)"
        case let error as NIOHTTP2Errors.StreamClosed:
            "no whole answer from \(url.authority) (\(error.errorCode.word))"
        case is any NIOHTTP2Error: "the answer from \(url.authority) breaks the rules of HTTP/2"
        default: connection.unreadableAnswer(cause) ?? connection.words(for: cause)
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
        case .proxyAuthenticationRequired: "proxy: \(proxy?.url.authority ?? "") wants a user and a password, or others"
        case .invalidProxyResponse, .httpProxyHandshakeTimeout:
            "proxy: \(proxy?.url.authority ?? "") opens no connection to \(url.authority)"
        default: "cannot ask \(url.authority): \(error.shortDescription)"
        }
    }

    /// The reports of the network and of TLS.
    var connection: ConnectionFailure { ConnectionFailure(url, closed: cutShort().reason) }
}

extension HTTP2ErrorCode {
    /// The name of the code (RFC 9113, section 7), or its number.
    fileprivate var word: String {
        let names = [
            "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
            "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY",
            "HTTP_1_1_REQUIRED",
        ]
        return names.indices.contains(networkCode) ? names[networkCode] : "HTTP/2 error \(networkCode)"
    }
}
