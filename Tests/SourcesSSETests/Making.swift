import Pipeline
import PipelineLive
import PipelineTesting
import Synchronization

@testable public import PipelineConfig
@testable import SourcesSSE

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

/// What a source reported, in order.
final class Heard: Sendable {
    private let state = Mutex<[String]>([])
    private let events: AsyncStream<String>
    private let reported: AsyncStream<String>.Continuation

    init() { (events, reported) = AsyncStream.makeStream() }

    var all: [String] { state.withLock { $0 } }
    /// Without the signs of life.
    var words: [String] { all.filter { $0 != "alive" } }

    var listener: LiveListener { listener(at: nil) }

    func listener(at position: String?) -> LiveListener {
        LiveListener(position: position) { event in
            let word =
                switch event {
                case .began: "begin"
                case .message(let message):
                    (message.event.map { $0 == "message" ? "" : "\($0) " } ?? "") + String(decoding: message.payload ?? [], as: UTF8.self)
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

extension SSESource {
    /// How the connection for `key` ends.
    func ending(_ heard: Heard = Heard(), for key: Key = Key(pipeline: "friends")) async throws -> LiveEnding {
        try await listen(for: key, to: heard.listener)
    }
}

extension StreamServer {
    /// A source of this server.
    func source(_ path: String = "/", clock: PipelineClock = .system, _ change: (inout SSESettings) -> Void = { _ in }) throws -> SSESource
    {
        var settings = SSESettings(url: try .written(url + path))
        change(&settings)
        return SSESource(settings, clock: clock)
    }
}
