public import PipelineJSON

/// A feed: what a pipeline does with the changes of a source.
public struct FeedSpec: Sendable {
    /// The change source.
    package let source: SourceSpec
    /// How messages are merged; nil: each message means that the value must be loaded again.
    package var merging: MergePolicy?
    /// Which key a message is for: the members of the message that must equal these parameters, as text. Empty: each key of the connection.
    package var addressing: [String: JSONPointer]
    /// Numbers without gaps, by which a lost message is seen.
    package var sequence: JSONPointer?
    /// The message that says that the list must be loaded again.
    package var resync: MessagePattern?
    /// Whether, while the feed is live, a copy counts as confirmed at the last sign of life.
    package var confirms: Bool
    /// How long before a load began the changes are also merged into it, for origins behind replicas.
    package var overlap: Duration

    /// The name of the source.
    package var name: String { source.name }

    /// Whether both read the same source in the same way.
    func isSame(as other: FeedSpec) -> Bool {
        name == other.name && source.identity === other.source.identity && merging == other.merging && addressing == other.addressing
            && sequence == other.sequence && resync == other.resync && confirms == other.confirms && overlap == other.overlap
    }

    /// A feed of `source`.
    ///
    /// - Parameters:
    ///   - source: the change source.
    ///   - merging: how messages are merged; nil: each message means that the value must be loaded again.
    ///   - addressing: which key a message is for: the members of the message that must equal these parameters, as text. Empty: each key of
    ///     the connection.
    ///   - sequence: numbers without gaps, by which a lost message is seen.
    ///   - resync: the message that says that the list must be loaded again: the scalars it has, each at its place, as text: a string's characters,
    ///     or a literal as JSON writes it. Numbers are compared by value. Empty: no message does.
    ///   - confirms: whether, while the feed is live, a copy counts as confirmed at the last sign of life.
    ///   - overlap: how long before a load began the changes are also merged into it, for origins behind replicas.
    public init(
        _ source: SourceSpec, merging: MergePolicy? = nil, addressing: [String: JSONPointer] = [:], sequence: JSONPointer? = nil,
        resync: [JSONPointer: String] = [:], confirms: Bool = false, overlap: Duration = .zero
    ) {
        self.source = source
        self.merging = merging
        self.addressing = addressing
        self.sequence = sequence
        self.resync = resync.isEmpty ? nil : MessagePattern(resync)
        self.confirms = confirms
        self.overlap = overlap
    }
}
