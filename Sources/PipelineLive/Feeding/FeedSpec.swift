public import Pipeline
public import PipelineJSON

/// A feed: what a pipeline does with the changes of a source.
public struct FeedSpec: Sendable {
    /// The change source.
    public let source: SourceSpec
    /// The rule by which messages are merged; nil: each message means that the value must be loaded again.
    public var merging: MergePolicy?
    /// The members of a message that must equal these parameters, as text, for the message to be for their key. Empty: each key of the
    /// connection.
    package var addressing: [String: JSONPointer]
    /// Numbers without gaps, by which a lost message is seen.
    package var sequence: JSONPointer?
    /// The message that says that the list must be loaded again.
    package var resync: MessagePattern?
    /// Indicates whether, while the feed is live, a copy counts as confirmed at the last sign of life.
    public var confirms: Bool
    /// The time before a load began from which changes are also merged into it, for origins behind replicas.
    public var overlap: Duration

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

/// The change sources of a pipeline.
struct Feeds: PipelineAddition {
    let list: [FeedSpec]

    var sources: [SourceSpec] { list.map(\.source) }

    static func check(_ specs: [PipelineSpec]) throws(UsageError) {
        for spec in specs where !spec.live.isEmpty {
            _ = try UsageError.checked(spec.live.map(\.name), known: spec.live.map(\.name))
            for feed in spec.live where feed.source.live == nil { throw .notAChangeSource(feed.name, pipeline: spec.name) }
        }
    }
}

extension PipelineSpec {
    /// Where changes of the values come from, each a source of its own.
    public var live: [FeedSpec] {
        get { self[Feeds.self]?.list ?? [] }
        set { self[Feeds.self] = newValue.isEmpty ? nil : Feeds(list: newValue) }
    }

    /// A pipeline called `name` whose values change by themselves.
    ///
    /// - Parameter live: where changes of the values come from, each a source of its own.
    public init(
        _ name: String, parameters: [ParameterSpec] = [], policy: PipelinePolicy = PipelinePolicy(), tiers: [TierSpec] = [],
        live: [FeedSpec]
    ) {
        self.init(name, parameters: parameters, policy: policy, tiers: tiers)
        self.live = live
    }
}

/// The way in which the values of a pipeline are merged with changes that no feed brings.
private struct Merging: PipelineAddition {
    let policy: MergePolicy?

    var sources: [SourceSpec] { [] }

    static func check(_ specs: [PipelineSpec]) throws(UsageError) {}
}

extension PipelineSpec {
    /// The way in which changes are merged into a value that come from elsewhere than a feed; nil if none are.
    package var merging: MergePolicy? { self[Merging.self]?.policy }

    /// Lets changes come from elsewhere than feeds.
    ///
    /// - Parameter policy: the way in which they are merged; nil if they replace the value.
    package mutating func takeChanges(merging policy: MergePolicy?) { self[Merging.self] = Merging(policy: policy) }
}

extension SourceSpec {
    /// The source as a change source; nil for one that holds or gives values.
    package var live: (any LiveSource)? { source as? any LiveSource }
}
