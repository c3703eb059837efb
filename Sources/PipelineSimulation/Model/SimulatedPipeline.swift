internal import Pipeline
package import PipelineConfig

/// A pipeline as it is simulated: its plan, and what its sources do.
package struct SimulatedPipeline: Sendable {
    struct Tier: Sendable {
        let plan: TierPlan
        let model: SourceModel

        var name: String { plan.source.name }
        var isCache: Bool { plan.source.isWritable == true }
        /// Indicates whether it is the real source: memory, which answers at once.
        var isReal: Bool { plan.source.isRealInSimulation }
        /// The capabilities of the source: nothing is known of what a simulated origin says about freshness.
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

    /// The random numbers that the tiers draw from; each gear has a generator of its own.
    var random: RandomGenerator { .seeded(seed) }

    /// The real source of a tier that has one.
    func memory(of tier: Tier, clock: PipelineClock) throws -> (any WritableSource)? {
        guard tier.isReal else { return nil }
        return try tier.plan.source.spec(SourceContext(name: tier.name, clock: clock, random: .seeded(seed &+ 1)))?.cache
    }

    /// The parts of the pipeline that the simple rules of ``Machine`` do not cover; empty if it can play the pipeline.
    package var unplayable: [String] {
        var reasons = PipelineField.allCases.filter { !isPlayed($0) }.map { "`\($0.rawValue)`" }
        for tier in tiers {
            reasons += TierField.allCases.filter { !isPlayed($0, of: tier) }.map { "`\($0.rawValue)` of `\(tier.name)`" }
        }
        let mayLack = tiers.contains { $0.model.lacks.value > 0 }
        if mayLack, let cache = tiers.first(where: { $0.isCache && $0.model.mayFail }) {
            reasons.append("`lacks` beside failures of `\(cache.name)`")
        }
        return reasons
    }

    /// Indicates whether the simple rules cover what the pipeline says in `field`.
    private func isPlayed(_ field: PipelineField) -> Bool {
        switch field {
        case .deadline: plan.policy.deadline == nil
        case .description, .parameters, .format, .combine, .tiers, .links, .live, .writeBack, .staleWhileRevalidate, .staleIfError,
            .notFoundTTL, .refreshAhead, .priority, .maxSize:
            true
        }
    }

    /// Indicates whether the simple rules cover what a tier says in `field`.
    private func isPlayed(_ field: TierField, of tier: Tier) -> Bool {
        switch field {
        case .debounce: tier.plan.policy.debounce == nil
        case .softTimeout: tier.plan.policy.softTimeout == nil
        case .lastResort: !tier.plan.isLastResort
        case .retry: !tier.isReal || tier.plan.policy.retry == nil
        case .circuitBreaker: !tier.isCache || tier.plan.policy.circuitBreaker == nil
        case .ttl, .jitter, .maxDelay, .timeout, .onError, .onNotFound, .reads, .writes: true
        }
    }
}
