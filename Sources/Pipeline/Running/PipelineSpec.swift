/// The specification that a pipeline is made from.
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
    public var name: String
    /// The parameters of a fetch, each with a name of its own.
    public var parameters: [ParameterSpec]
    /// The policies around the tiers.
    public var policy: PipelinePolicy
    /// The tiers from the top down, each with a source of its own.
    public var tiers: [TierSpec]
    /// What it has besides, one of each kind.
    private(set) var additions: [any PipelineAddition] = []

    /// A pipeline called `name`.
    public init(
        _ name: String, parameters: [ParameterSpec] = [], policy: PipelinePolicy = PipelinePolicy(), tiers: [TierSpec] = []
    ) {
        self.name = name
        self.parameters = parameters
        self.policy = policy
        self.tiers = tiers
    }

    /// The addition of a kind; nil if it has none.
    package subscript<Addition: PipelineAddition>(kind: Addition.Type) -> Addition? {
        get { additions.lazy.compactMap { $0 as? Addition }.first }
        set {
            additions.removeAll { $0 is Addition }
            if let newValue { additions.append(newValue) }
        }
    }
}

/// What a pipeline has besides its tiers, such as change sources.
package protocol PipelineAddition: Sendable {
    /// The sources it names.
    var sources: [SourceSpec] { get }
    /// The source that it gives a pipeline in the tier of that name, for which a placeholder stands in the specification; nil if it gives none.
    func source(of spec: PipelineSpec, _ invalidation: Invalidation, in directory: PipelineDirectory) -> (name: String, any Source)?
    /// Throws if pipelines of `specs`, some of which have such an addition, cannot be made.
    static func check(_ specs: [PipelineSpec]) throws(UsageError)
    /// Lets `pipelines`, which are new, find those that they need among all that there are, by name.
    static func connect(_ pipelines: [DataPipeline], among all: [String: DataPipeline])
}

extension PipelineAddition {
    package func source(of spec: PipelineSpec, _ invalidation: Invalidation, in directory: PipelineDirectory) -> (name: String, any Source)?
    {
        nil
    }
    package static func connect(_ pipelines: [DataPipeline], among all: [String: DataPipeline]) {}
}

extension Collection<PipelineSpec> {
    /// The kinds of additions that they have, each once.
    var kindsOfAdditions: [any PipelineAddition.Type] {
        var seen: Set<ObjectIdentifier> = []
        return flatMap { $0.additions.map { type(of: $0) } }.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}

extension PipelineSpec {
    /// This pipeline asking these sources in this order instead. A source that is a tier of the pipeline keeps its policy.
    func asking(_ order: [String], of known: [SourceSpec]) throws(UsageError) -> PipelineSpec {
        var asking = self
        let known = known.filter { source in !source.isPlaceholder || tiers.contains { $0.source.identity === source.identity } }
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
        guard case .routes(let routes) = policy.writeBack else { return }
        for (from, to) in routes.sorted(by: { $0.key < $1.key }) {
            for (name, known) in [(from, tiers)] + to.map({ ($0, tiers.filter { !$0.source.isOrigin }) })
            where !known.contains(where: { $0.name.hasSameBytes(as: name) }) {
                throw .unknownTarget(name, pipeline: self.name, known: known.map(\.name))
            }
        }
    }
}

extension PipelineOrder {
    /// The order of a pipeline.
    init(_ spec: PipelineSpec) { self.init(spec.name, spec.tiers, spec.policy) }
}

extension KeyMaker {
    /// Makes the keys of a pipeline.
    init(_ spec: PipelineSpec) { self.init(spec.name, spec.parameters) }
}
