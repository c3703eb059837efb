internal import Pipeline
import PipelineComposing

/// For how long at most parts are fresh, by what their caches and the parts of these say.
struct PartLives {
    /// A time, and where it is written.
    struct Life {
        let time: Duration
        let range: TextRange
    }

    /// What limits a whole: a part, or a pipeline that a followed link leads to.
    struct Limit {
        let part: PartConfig
        let use: UsedPipeline
        let life: Life
    }

    private let byName: [ExactName: DeclaredPipeline]
    private let sources: SourceTable
    private var known: [ExactName: Life?] = [:]
    private var ending: [ExactName: Bool] = [:]

    init(of pipelines: [DeclaredPipeline], in sources: SourceTable) {
        self.sources = sources
        byName = Dictionary(pipelines.map { (ExactName($0.name), $0) }) { first, _ in first }
    }

    /// Whether a copy of a value of `pipeline` ends by itself, though its cache has no ttl: an entry says how long it is fresh, or a part
    /// ends or reports changes. So it is as long as something of it is unknown.
    mutating func endsCopies(of pipeline: DeclaredPipeline, _ tiers: KnownTiers) -> Bool {
        if tiers.elements.contains(where: { !$0.source.isComposite && $0.source.limitsFreshness }) { return true }
        guard let combine = pipeline.combine else { return false }
        guard combine.isSound else { return true }
        return endParts(of: combine, depth: CompositeSpec.mostInChain)
    }

    private mutating func endParts(of combine: CombineConfig, depth: Int) -> Bool {
        let byName = byName
        let names = CompositeCheck.combinedPipelines(combine.spec) { byName[ExactName($0)]?.links.map(\.spec) ?? [] }
        return names.contains { ends($0, depth: depth) }
    }

    private mutating func ends(_ name: String, depth: Int) -> Bool {
        if let isEnding = ending[ExactName(name)] { return isEnding }
        guard depth > 0, let pipeline = byName[ExactName(name)] else { return true }
        let tiers = KnownTiers(of: pipeline, in: sources)
        let isEnding =
            !pipeline.isSound || !tiers.isSound || !pipeline.feeds.isEmpty || !pipeline.hasAllFeeds || ownLife(of: pipeline) != nil
            || tiers.elements.contains { !$0.source.isComposite && $0.source.limitsFreshness }
            || pipeline.combine.map { !$0.isSound || endParts(of: $0, depth: depth - 1) } ?? false
        ending[ExactName(name)] = isEnding
        return isEnding
    }

    /// The longest that a value of the pipeline called `name` is fresh; nil where nothing limits it.
    ///
    /// - Parameter depth: how many composites are left on the way down: a chain has no more, and a circle has been reported.
    mutating func life(of name: String, depth: Int = CompositeSpec.mostInChain) -> Life? {
        if let life = known[ExactName(name)] { return life }
        guard depth > 0, let pipeline = byName[ExactName(name)] else { return nil }
        let used = pipeline.combine.flatMap { limit(of: $0, depth: depth - 1)?.life }
        let shortest = [ownLife(of: pipeline), used].compactMap(\.self).min { $0.time < $1.time }
        known[ExactName(name)] = .some(shortest)
        return shortest
    }

    /// The part or the followed link whose values are fresh for the shortest time; nil where nothing limits them.
    mutating func limit(of combine: CombineConfig, depth: Int = CompositeSpec.mostInChain) -> Limit? {
        let byName = byName
        var shortest: Limit?
        for use in combine.spec.usedPipelines(links: { byName[ExactName($0)]?.links.map(\.spec) ?? [] })
        where use.part < CompositeSpec.mostParts {
            guard let life = life(of: use.name, depth: depth), shortest.map({ life.time < $0.life.time }) ?? true else { continue }
            shortest = Limit(part: combine.parts[use.part], use: use, life: life)
        }
        return shortest
    }

    /// The longest ttl of its caches; nil where one has none, or where there are no caches.
    private func ownLife(of pipeline: DeclaredPipeline) -> Life? {
        let tiers = KnownTiers(of: pipeline, in: sources)
        guard pipeline.isSound, tiers.isSound else { return nil }
        var longest: Life?
        for tier in tiers.elements where tier.isWrittenCache && pipeline.fills(tier.tier) {
            guard let ttl = tier.policy.ttl, let range = tier.tier.fieldPlaces.value(.ttl)?.range else { return nil }
            if longest.map({ ttl > $0.time }) ?? true { longest = Life(time: ttl, range: range) }
        }
        return longest
    }
}
