import Pipeline
import PipelineLive
import PipelineTesting
import Synchronization

@testable public import PipelineConfig
@testable import SourcesWebSocket

extension URLTemplate {
    static func written(_ text: String) throws -> URLTemplate {
        try parse(InterpolatedText(pieces: [.literal(text, offset: 0)]))
    }
}

extension SecretTemplate: ExpressibleByStringLiteral {
    /// The template as a file would have it.
    public init(stringLiteral text: String) {
        self.init(template: Template(InterpolatedText(pieces: [.literal(text, offset: 0)]), isLenient: true))
    }
}

extension RawServer {
    /// A source of this server.
    func source(
        _ path: String = "/", scheme: String = "ws", clock: PipelineClock = .system, _ change: (inout WebSocketSettings) -> Void = { _ in }
    ) throws -> WebSocketSource {
        var settings = WebSocketSettings(url: try .written("\(scheme)://\(authority)\(path)"))
        change(&settings)
        return WebSocketSource(settings, clock: clock)
    }
}

/// What a source reported, in order.
final class Heard: Sendable {
    private let state = Mutex<[String]>([])
    private let events: AsyncStream<String>
    private let reported: AsyncStream<String>.Continuation

    init() { (events, reported) = AsyncStream.makeStream() }

    var all: [String] { state.withLock { $0 } }
    /// Without the signs of life.
    var words: [String] { all.filter { $0 != "alive" } }

    var listener: LiveListener {
        LiveListener { event in
            let word =
                switch event {
                case .began: "begin"
                case .message(let message): String(decoding: message.payload ?? [], as: UTF8.self)
                case .position(let id): "position \(id)"
                case .alive: "alive"
                case .skipped(let reason): "skipped \(reason)"
                case .base(let base): "base \(base)"
                }
            self.state.withLock { $0.append(word) }
            self.reported.yield(word)
        }
    }

    /// Returns when `word` has been reported.
    func wait(for word: String) async {
        for await next in events where next == word { return }
    }
}

extension WebSocketSource {
    /// How the connection for `key` ends.
    func ending(_ heard: Heard = Heard(), for key: Key = Key(pipeline: "friends")) async throws -> LiveEnding {
        try await listen(for: key, to: heard.listener)
    }
}
