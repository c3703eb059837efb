/// What a pipeline is made from.
///
/// ```swift
/// let memory = SourceSpec("memory", MemorySource(maxEntries: 10_000), capabilities: [.keepsNotFound])
/// let api = SourceSpec("api", FriendsAPI())
/// let friends = try DataPipeline(
///     PipelineSpec("friends", parameters: ["user"], tiers: [TierSpec(memory, ttl: .seconds(30)), TierSpec(api)]))
///
/// let outcome = try await friends.fetch(["user": "42"])
/// await friends.shutDown()
/// ```
///
/// Several pipelines that share sources belong together: ``Pipelines/init(_:otherSources:clock:random:redactor:observers:)`` makes them at once.
public struct PipelineSpec: Sendable {
    /// The name, which is a part of each key.
    package var name: String
    /// The parameters of a fetch, each with a name of its own.
    package var parameters: [ParameterSpec]
    /// The policies around the tiers.
    package var policy: PipelinePolicy
    /// The tiers from the top down, each with a source of its own.
    package var tiers: [TierSpec]
    /// Where changes of the values come from, each a source of its own.
    package var live: [FeedSpec]
    /// How its values are made from those of other pipelines; nil where they are not. It is asked in the place ``TierSpec/combine(_:)``, which
    /// comes last where ``tiers`` does not have it.
    package let combine: CompositeSpec?
    /// The references in its values.
    package var links: [LinkSpec]

    /// A pipeline called `name`.
    ///
    /// - Parameters:
    ///   - combine: how its values are made from those of other pipelines; nil where they are not. It is asked in the place
    ///     ``TierSpec/combine(_:)``, which comes last where `tiers` does not have it.
    ///   - live: where changes of the values come from, each a source of its own.
    ///   - links: the references in its values.
    public init(
        _ name: String, parameters: [ParameterSpec] = [], policy: PipelinePolicy = PipelinePolicy(), combine: CompositeSpec? = nil,
        tiers: [TierSpec] = [], live: [FeedSpec] = [], links: [LinkSpec] = []
    ) {
        self.name = name
        self.parameters = parameters
        self.policy = policy
        self.tiers = combine == nil || tiers.contains(where: \.isComposite) ? tiers : tiers + [.combine()]
        self.live = live
        self.combine = combine
        self.links = links
    }
}

extension PipelineSpec {
    /// The same pipeline asking these sources in this order instead. A source that is a tier of the pipeline keeps its policy.
    func asking(_ order: [String], of known: [SourceSpec]) throws(UsageError) -> PipelineSpec {
        var asking = self
        let known = known.filter { combine != nil || $0.identity !== SourceSpec.combine.identity }
        asking.tiers = try UsageError.checked(order, known: known.map(\.name)).map { index in
            tiers.first { $0.name.hasSameBytes(as: known[index].name) } ?? TierSpec(known[index])
        }
        return asking
    }

    /// Throws when it cannot be made: no tier, or a name that stands twice or for nothing.
    func check() throws(UsageError) {
        var names: Set<ExactName> = []
        for parameter in parameters where !names.insert(ExactName(parameter.name)).inserted {
            throw .repeatedParameter(parameter.name, pipeline: name)
        }
        _ = try UsageError.checked(tiers.map(\.name), known: tiers.map(\.name))
        if !live.isEmpty { _ = try UsageError.checked(live.map(\.name), known: live.map(\.name)) }
        for feed in live where feed.source.live == nil { throw .notAChangeSource(feed.name, pipeline: name) }
        guard case .routes(let routes) = policy.writeBack else { return }
        for (from, to) in routes.sorted(by: { $0.key < $1.key }) {
            for (name, known) in [(from, tiers)] + to.map({ ($0, tiers.filter { !$0.source.isOrigin }) })
            where !known.contains(where: { $0.name.hasSameBytes(as: name) }) {
                throw .unknownTarget(name, pipeline: self.name, known: known.map(\.name))
            }
        }
    }
}
