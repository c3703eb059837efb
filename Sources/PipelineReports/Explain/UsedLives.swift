internal import Pipeline
internal import PipelineConfig

/// How long values are fresh that wholes are made from, and how old they can be. Each pipeline is looked at once.
struct UsedLives {
    /// A pipeline whose values are in a whole.
    struct Use {
        /// What sentences call it.
        let words: String
        /// Where the part or the link is named.
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

    /// What limits how long a whole of `plan` is fresh the most; nil where nothing that it is made from does.
    mutating func limit(of plan: PipelinePlan, depth: Int = CompositeSpec.mostInChain) -> (use: Use, life: Duration)? {
        var least: (use: Use, life: Duration)?
        for use in uses(in: plan) {
            guard let life = life(of: use.plan, depth: depth), least.map({ life < $0.life }) ?? true else { continue }
            least = (use, life)
        }
        return least
    }

    /// The longest that a value of `plan` is fresh; nil where nothing limits it.
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

    /// How old a value of `plan` can be, or what it is made from, while it is fresh; nil where no cache holds any of it.
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

    /// How long the caches of `plan` keep a value fresh; nil where none does.
    private static func kept(_ plan: PipelinePlan) -> PipelineFacts.Life? { PipelineFacts(plan).longestLives.values.max() }
}
