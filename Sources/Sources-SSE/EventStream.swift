import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Pipeline
import PipelineConfig
import PipelineLive
import PipelineSockets
import Synchronization

/// One connection to an event stream, redirects followed.
struct EventStream: Sendable {
    /// An answer that is an event stream, or the ending that any other means.
    enum Answer {
        case stream(HTTPClientResponse.Body)
        case ending(LiveEnding)
    }

    /// The number of redirects that are followed.
    private static let mostRedirects = 5

    let settings: SSESettings
    let clock: PipelineClock
    let tls: TLSConfiguration?

    /// Returns the value of `work`, or the end of the connection when no byte comes within the idle time. `work` must call the closure that
    /// it gets for each byte.
    func watching(_ url: HTTPURL, _ work: @escaping @Sendable (@Sendable () -> Void) async throws -> LiveEnding) async throws -> LiveEnding
    {
        let last = LastByte(clock.now)
        return try await withThrowingTaskGroup(of: LiveEnding.self) { group in
            group.addTask { try await work { last.set(clock.now) } }
            group.addTask {
                while true {
                    let rest = settings.idleTimeout - clock.now.duration(since: last.moment)
                    guard rest > .zero else {
                        return LiveEnding(.lost, "not a byte from \(url.authority) within \(settings.idleTimeout.spelling)")
                    }
                    try await clock.sleep(for: rest)
                }
            }
            defer { group.cancelAll() }
            // There are two.
            return try await group.next() ?? LiveEnding(.lost, "the connection was closed")
        }
    }

    /// The answer to `request`, when its head has come.
    func answer(to request: StreamRequest) async throws -> Answer {
        var request = request
        for _ in 0...Self.mostRedirects {
            let response = try await send(request)
            guard let target = try target(of: response, from: request.url) else { return meaning(of: response, from: request.url) }
            request = request.redirected(to: target)
        }
        return .ending(
            LiveEnding(.refused, "more than \(Self.mostRedirects) redirects, the last from \(request.url.place)", help: "correct `url`"))
    }

    private func send(_ request: StreamRequest) async throws -> HTTPClientResponse {
        var clientRequest = request.clientRequest
        clientRequest.tlsConfiguration = tls
        do {
            try await HostNames.process.find(hostOf: request.url, within: settings.idleTimeout, on: clock)
            return try await StreamClients.process.client(for: request.url).execute(clientRequest, deadline: .distantFuture)
        } catch {
            throw Self.error(for: error, of: request.url)
        }
    }

    /// The URL that the answer redirects to; nil if it is the last one.
    private func target(of response: HTTPClientResponse, from url: HTTPURL) throws -> HTTPURL? {
        guard [301, 302, 303, 307, 308].contains(response.status.code), let location = response.headers.first(name: "Location") else {
            return nil
        }
        do {
            return try url.resolving(location)
        } catch {
            throw SourceError(
                "a redirect from \(url.place) that cannot be followed: \(error.words)", kind: .refused,
                help: "write the URL that it leads to as `url`",
                cause: error)
        }
    }

    private func meaning(of response: HTTPClientResponse, from url: HTTPURL) -> Answer {
        let status = Int(response.status.code)
        switch status {
        case 200: break
        case 204: return .ending(LiveEnding(.ended, "status 204 from \(url.place): there is nothing more to come"))
        default: return .ending(LiveEnding(status: status, headers: response.headers, from: url.place, wall: clock.wall()))
        }
        let type = response.headers.first(name: "Content-Type") ?? ""
        let name = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        guard name.lowercased() == "text/event-stream" else {
            let found = name.isEmpty ? "it has no content type" : "its content type is `\(String(name).shortened)`"
            return .ending(
                LiveEnding(.refused, "the answer from \(url.place) is not an event stream: \(found)", help: "correct `url`"))
        }
        let codings = response.headers[canonicalForm: "Content-Encoding"].filter { !$0.isEmpty && $0.lowercased() != "identity" }
        guard codings.isEmpty else {
            return .ending(
                LiveEnding(.refused, "the stream from \(url.place) is compressed", help: "have the server send it as it is"))
        }
        return .stream(response.body)
    }

    /// The report of the network and of the client, in words: a cancellation stays one.
    static func error(for cause: any Error, of url: HTTPURL) -> any Error {
        if Task.isCancelled || cause is CancellationError { return CancellationError() }
        let closed = "the connection was closed by \(url.authority)"
        switch cause {
        case is ImpossibleStatus:
            return SourceError("the answer from \(url.authority) is not HTTP: its status is below 100", kind: .invalid)
        case let error as HTTPClientError where error == .remoteConnectionClosed: return SourceError(closed, cause: cause)
        case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection: return SourceError(closed, cause: cause)
        case let error as HTTPClientError: return SourceError("cannot ask \(url.authority): \(error.shortDescription)", cause: cause)
        default:
            let failure = ConnectionFailure(url, closed: closed)
            return failure.unreadableAnswer(cause).map { SourceError($0, kind: .invalid, cause: cause) } ?? failure.error(for: cause)
        }
    }
}

/// The moment when the last byte came.
private final class LastByte: Sendable {
    private let state: Mutex<Timestamp>

    init(_ moment: Timestamp) { state = Mutex(moment) }

    var moment: Timestamp { state.withLock { $0 } }

    func set(_ moment: Timestamp) { state.withLock { $0 = moment } }
}

/// A request for an event stream as it goes out.
struct StreamRequest: Sendable {
    private(set) var url: HTTPURL
    /// The configured fields and the defaults. A redirect to another origin leaves the harmless ones.
    private(set) var headers: HTTPHeaders
    /// The id of the last event; nil for none.
    var lastID: String?

    init(url: HTTPURL, headers: HTTPHeaders) {
        self.url = url
        self.headers = headers
    }

    /// The text that two connections have in common that can be one.
    var channel: String { ([url.text] + headers.map { "\($0.name): \($0.value)" }).joined(separator: "\n") }

    /// The request that follows a redirect to `target`.
    func redirected(to target: HTTPURL) -> StreamRequest {
        var copy = self
        if target.origin != url.origin {
            copy.headers = HTTPHeaders(headers.filter { HeaderFields.harmless.contains($0.name.lowercased()) })
        }
        copy.url = target
        return copy
    }

    /// The request in the client's terms.
    var clientRequest: HTTPClientRequest {
        var request = HTTPClientRequest(url: url.text)
        request.headers = headers
        if let lastID { request.headers.replaceOrAdd(name: "Last-Event-ID", value: lastID) }
        return request
    }
}
