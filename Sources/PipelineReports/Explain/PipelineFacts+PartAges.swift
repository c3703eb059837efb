internal import Pipeline
import PipelineComposing
internal import PipelineConfig

/// The age of composites that a cache has, and of the values that they are made from.
extension PipelineFacts {
    /// Indicates whether a value can be a composite.
    var isWhole: Bool { plan.combine != nil && askedOrigins.contains { $0.name == CompositeSpec.placeName } }

    /// The time for which a composite is fresh, and the parts that may be older than that.
    ///
    /// - Parameters:
    ///   - kept: how long the caches of its pipeline keep it fresh.
    ///   - holders: the caches that keep it so long.
    func wholeAges(_ kept: Life, in holders: [TierPlan]) -> [Sentence] {
        var lives = UsedLives(plansByName)
        let limit = lives.limit(of: plan)
        let ownGrounds = holders.map { kept == .endless ? ground(.ttl, of: $0) : groundOfLife(kept, $0) }.uniqued
        if let limit, .limited(limit.life) < kept {
            return wholeAges(limit.life, [.place(limit.use.range)], &lives) + otherAges(kept, ownGrounds)
        }
        if case .limited(let life) = kept { return wholeAges(life, ownGrounds, &lives) + otherAges(kept, ownGrounds) }
        let names = "\(Self.listed(holders.map(\.quoted))) \(holders.count == 1 ? "has" : "have")"
        return [Sentence(text: "A whole can be served as fresh for ever after it was made: \(names) no ttl.", grounds: ownGrounds)]
    }

    private func wholeAges(_ life: Duration, _ grounds: [Ground], _ lives: inout UsedLives) -> [Sentence] {
        var older: [(text: String, ground: Ground)] = []
        for use in lives.uses(in: plan) {
            guard let age = lives.age(of: use.plan), age > .limited(life) else { continue }
            let bound = if case .limited(let age) = age { "up to \(Self.words(age))" } else { "without a limit" }
            older.append(("\(use.words) \(bound)", .place(use.range)))
        }
        let parts = older.isEmpty ? "" : " Its parts may be older: \(older.map(\.text).joined(separator: ", "))."
        return [
            Sentence(
                text: "A whole is fresh for at most \(Self.words(life)) after it was made.\(parts)",
                grounds: (grounds + older.map(\.ground)).uniqued)
        ] + staleAges(after: life, since: "after it was made", grounds)
    }

    /// The age of an answer that another origin of the pipeline gives.
    private func otherAges(_ kept: Life, _ grounds: [Ground]) -> [Sentence] {
        let others = askedOrigins.filter { $0.name != CompositeSpec.placeName && !$0.writesBackTo.isEmpty }.map(\.quoted)
        guard !others.isEmpty, case .limited(let life) = kept else { return [] }
        return [
            Sentence(
                text:
                    "A value of \(Self.listed(others, "or")) is served as fresh for at most \(Self.words(life)) after it was given or confirmed.",
                grounds: grounds)
        ]
    }
}

/// The lives of values that composites are made from, and their ages. Each pipeline is looked at once.
struct UsedLives {
    /// A pipeline whose values are in a composite.
    struct Use {
        /// The name of the part in sentences.
        let words: String
        /// The place where the part or the link is named.
        let range: TextRange
        let plan: PipelinePlan
    }

    private let plansByName: [String: PipelinePlan]
    private var lives: [String: Duration?] = [:]
    private var ages: [String: PipelineFacts.Life?] = [:]

    init(_ plansByName: [String: PipelinePlan]) { self.plansByName = plansByName }

    /// The pipelines of the parts of `plan`, and those that the links lead to that are followed in them.
    func uses(in plan: PipelinePlan) -> [Use] {
        guard let combine = plan.combine else { return [] }
        let words = combine.spec.partWords
        return combine.spec.usedPipelines { plansByName[$0]?.links.map(\.spec) ?? [] }.compactMap { use in
            guard let other = plansByName[use.name] else { return nil }
            guard let step = use.step, let holder = plansByName[step.holder] else {
                return Use(words: words[use.part], range: combine.parts[use.part].range, plan: other)
            }
            return Use(words: "`\(use.name)` (via link `\(step.name)`)", range: holder.links[step.link].range, plan: other)
        }
    }

    /// The strictest limit of a composite's freshness in `plan`; nil if none of its parts limits it.
    mutating func limit(of plan: PipelinePlan, depth: Int = CompositeSpec.mostInChain) -> (use: Use, life: Duration)? {
        var least: (use: Use, life: Duration)?
        for use in uses(in: plan) {
            guard let life = life(of: use.plan, depth: depth), least.map({ life < $0.life }) ?? true else { continue }
            least = (use, life)
        }
        return least
    }

    /// The longest that a value of `plan` is fresh; nil if nothing limits it.
    ///
    /// - Parameter depth: how many composites are left on the way down: a chain has no more.
    private mutating func life(of plan: PipelinePlan, depth: Int) -> Duration? {
        if let known = lives[plan.name] { return known }
        guard depth > 0 else { return nil }
        let own: Duration? = if case .limited(let life)? = Self.kept(plan) { life } else { nil }
        let life = [own, limit(of: plan, depth: depth - 1)?.life].compactMap(\.self).min()
        lives[plan.name] = .some(life)
        return life
    }

    /// The greatest age of a value of `plan`, or of those it is made from, while it is fresh; nil if no cache holds any of it.
    mutating func age(of plan: PipelinePlan, depth: Int = CompositeSpec.mostInChain) -> PipelineFacts.Life? {
        if let known = ages[plan.name] { return known }
        guard depth > 0 else { return nil }
        let limit = limit(of: plan, depth: depth).map { PipelineFacts.Life.limited($0.life) }
        let own = Self.kept(plan).map { life in limit.map { min($0, life) } ?? life }
        var all = [own].compactMap(\.self)
        for use in uses(in: plan) { if let age = age(of: use.plan, depth: depth - 1) { all.append(age) } }
        let oldest = all.max()
        ages[plan.name] = .some(oldest)
        return oldest
    }

    /// The time for which the caches of `plan` keep a value fresh; nil if none does.
    private static func kept(_ plan: PipelinePlan) -> PipelineFacts.Life? { PipelineFacts(plan).longestLives.values.max() }
}
