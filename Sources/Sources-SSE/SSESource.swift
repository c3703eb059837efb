import AsyncHTTPClient
import NIOCore
import NIOSSL
public import Pipeline
internal import PipelineConfig
public import PipelineLive
import PipelineSockets

/// A change source that a server sends an event stream to (Server-Sent Events, WHATWG HTML, section 9.2).
public final class SSESource: LiveSource {
    /// The most bytes of an id, as many as servers take of a field.
    private static let longestID = 8 << 10

    private let settings: SSESettings
    private let clock: PipelineClock
    private let trusted: TrustedCertificates?

    package init(_ settings: SSESettings, clock: PipelineClock) {
        self.settings = settings
        self.clock = clock
        trusted = settings.trusted.map(TrustedCertificates.init)
    }

    /// The pauses between two attempts to connect.
    public var reconnecting: ReconnectPolicy { settings.reconnect }

    /// Indicates whether the server sends a new connection what came behind the last event, as `resume` says.
    public var resumes: Bool { settings.resumes }

    /// All fields but those that ``channel(for:)`` holds.
    public var sharedSettings: [any Hashable & Sendable]? {
        [settings.resumes, settings.reconnect, settings.idleTimeout, settings.maxMessage, settings.trusted]
    }

    /// Keys with the same URL and header fields share a connection.
    ///
    /// Throws a `SourceError` when a parameter cannot stand where the file has it.
    public func channel(for key: Key) throws -> String { try settings.request(for: key).channel }

    /// Connects, and reports each event until the stream ends. With `resume` it goes on behind the last event.
    public func listen(for key: Key, to listener: LiveListener) async throws -> LiveEnding {
        let permit = try DescriptorBudget.process.take(for: .feed)
        defer { permit.giveBack() }
        var request = try settings.request(for: key)
        if settings.resumes { request.lastID = listener.position }
        let stream = try stream()
        return try await stream.watching(request.url) { [request] showByte in
            switch try await stream.answer(to: request) {
            case .ending(let ending): return ending
            case .stream(let body):
                showByte()
                listener.begin()
                return try await self.read(body, from: request, showByte, listener)
            }
        }
    }

    private func read(
        _ body: HTTPClientResponse.Body, from request: StreamRequest, _ showByte: @Sendable () -> Void, _ listener: LiveListener
    ) async throws -> LiveEnding {
        var reader = EventStreamReader(limit: settings.maxMessage.bytes, lastID: request.lastID ?? "")
        do {
            for try await part in body {
                try Task.checkCancellation()
                showByte()
                try reader.read(part.readableBytesView) { report($0, to: listener) }
            }
            try Task.checkCancellation()
            return LiveEnding(.lost, "the stream was closed by \(request.url.authority)")
        } catch is EventStreamReader.TooLong {
            return LiveEnding(.faulty, "an event is longer than max_message (\(settings.maxMessage.spelling))")
        } catch {
            throw EventStream.error(for: error, of: request.url)
        }
    }

    private func report(_ item: EventStreamReader.Item, to listener: LiveListener) {
        switch item {
        case .event(let data, let name): listener.receive(LiveMessage(data, event: name))
        // One that cannot be sent back is forgotten.
        case .id(let id):
            let isSendable = id.utf8.count <= Self.longestID && HeaderFields.canBeValue(id)
            if settings.resumes { listener.mark(isSendable ? id : "") }
        case .retry(let milliseconds): listener.setBase(.milliseconds(milliseconds))
        case .comment: listener.showAlive()
        }
    }

    /// Asks for the stream, and leaves it as soon as it begins.
    ///
    /// Where parameters stand in the request only the connection is tried, TLS included, and where they stand in the host nothing.
    public func check() async throws -> Reachability {
        guard !settings.url.hostDependsOnKey else { return .untried("its host depends on a parameter") }
        let request = try settings.request(for: Key(pipeline: "check"))
        let stream = try stream()
        guard settings.isConstant else {
            try await TrialConnection.open(to: request.url, tls: stream.tls, limit: settings.idleTimeout)
            return .reachable
        }
        let ending = try await stream.watching(request.url) { _ in
            switch try await stream.answer(to: request) {
            case .ending(let ending) where ending.kind == .ended:
                LiveEnding(.refused, ending.reason, help: "correct `url`: a feed of it would end at once")
            case .ending(let ending): ending
            case .stream: LiveEnding(.ended, "it works")
            }
        }
        return try ending.reachability()
    }

    private func stream() throws -> EventStream {
        EventStream(settings: settings, clock: clock, tls: try trusted?.configuration())
    }
}
