internal import Pipeline
package import PipelineConfig

/// A pipeline as it is simulated: its plan, and what its sources do.
package struct SimulatedPipeline: Sendable {
    struct Tier: Sendable {
        let plan: TierPlan
        let model: SourceModel

        var name: String { plan.source.name }
        var isCache: Bool { plan.source.isWritable == true }
        /// Whether it is the real source: memory, which answers at once.
        var isReal: Bool { plan.source.isRealInSimulation }
        /// Nothing is known of what a simulated origin says about freshness.
        var capabilities: Set<Capability> { (plan.source.capabilities ?? []).subtracting(isReal ? [] : [.limitsFreshness]) }
    }

    package let name: String
    let plan: PipelinePlan
    let tiers: [Tier]
    let seed: UInt64

    package init(_ plan: PipelinePlan, model: SimulationModel, seed: UInt64) {
        name = plan.name
        self.plan = plan
        self.seed = seed
        tiers = plan.tiers.map { tier in
            Tier(plan: tier, model: tier.source.alwaysAnswers ? SourceModel() : model.sources[tier.source.name] ?? SourceModel())
        }
    }

    /// The policies around the tiers. What a simulated source gives has the format that is asked for.
    var policy: PipelinePolicy {
        var policy = plan.policy
        policy.format = .bytes
        return policy
    }

    /// What the tiers draw from; each gear has one of its own.
    var random: RandomGenerator { .seeded(seed) }

    /// The real source of a tier that has one.
    func memory(of tier: Tier, clock: PipelineClock) throws -> (any WritableSource)? {
        guard tier.isReal else { return nil }
        return try tier.plan.source.spec(SourceContext(name: tier.name, clock: clock, random: .seeded(seed &+ 1)))?.cache
    }

    /// What the simple rules of ``Machine`` do not cover; empty where it can play the pipeline.
    package var unplayable: [String] {
        var reasons: [String] = []
        if plan.policy.deadline != nil { reasons.append("`deadline`") }
        for tier in tiers {
            let policy = tier.plan.policy
            func refuse(_ word: String, _ applies: Bool) { if applies { reasons.append("`\(word)` of `\(tier.name)`") } }
            refuse("debounce", policy.debounce != nil)
            refuse("soft_timeout", policy.softTimeout != nil)
            refuse("last_resort", tier.plan.isLastResort)
            refuse("circuit_breaker", tier.isCache && policy.circuitBreaker != nil)
            refuse("retry", tier.isReal && policy.retry != nil)
        }
        let mayLack = tiers.contains { $0.model.lacks.value > 0 }
        if mayLack, let cache = tiers.first(where: { $0.isCache && $0.model.mayFail }) {
            reasons.append("`lacks` beside failures of `\(cache.name)`")
        }
        return reasons
    }
}
