public import Pipeline

/// An origin whose value stands in the configuration itself: the same for every key, and always there.
public struct InlineSource: Source {
    /// As text, which sources of one value share: a file may name it many times.
    private let text: String
    private let contentType: String
    private let clock: PipelineClock

    /// An origin that gives `text`.
    ///
    /// - Parameter contentType: the media type that its entries have.
    public init(_ text: String, contentType: String = "text/plain; charset=utf-8", clock: PipelineClock = .system) {
        self.text = text
        self.contentType = contentType
        self.clock = clock
    }

    /// ``ReadStyle/immediate``.
    public var style: ReadStyle { .immediate }

    /// What ``peek(_:)`` gives.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { peek(key) }

    /// The text, created now and fresh without a limit.
    public func peek(_ key: Key) -> Entry? {
        Entry(Array(text.utf8), created: clock.now, contentType: contentType)
    }
}

extension InlineSource {
    /// There is nothing to reach.
    public func check() async throws -> Reachability { .reachable }
}
