internal import Pipeline
internal import PipelineConfig

/// What can happen at each place of a pipeline, by its plan alone.
///
/// What only a call asks for, such as a tier that `cache-only` skips, is no branch of the configuration and is not counted.
struct CoveragePlan {
    /// The points in reading order, each once.
    let points: [CoveragePoint]

    init(_ pipeline: PipelinePlan) {
        var builder = CoverageBuilder(pipeline)
        builder.addTiers()
        builder.addWindows()
        builder.addEdges()
        builder.addFeeds()
        points = builder.points.enumerated().sorted { ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset) }.map(
            \.element)
    }
}

/// A tier as far as coverage goes by it.
struct CoveredTier {
    let plan: TierPlan
    /// Whether something else ends every load that asks origins before this tier is asked.
    let isBehindEnd: Bool

    var name: String { plan.source.name }
    var policy: TierPolicy { plan.policy }
    var isCache: Bool { plan.source.isWritable == true }
    /// Memory answers at once and always.
    var canFail: Bool { !plan.source.isReal && !plan.source.alwaysAnswers && isAsked }
    var isAsked: Bool { policy.reads && (isCache || !isBehindEnd) }
    var isAskedCache: Bool { isCache && policy.reads }
    var isAskedOrigin: Bool { !isCache && isAsked }
    var keepsNotFound: Bool { plan.source.capabilities?.contains(.keepsNotFound) == true }
    var hasBreaker: Bool { canFail && policy.circuitBreaker.map { $0.failures > 0 } ?? false }

    /// Whether no tier below is asked after it by a load that asks origins.
    var endsLoads: Bool {
        isAskedOrigin && (plan.source.alwaysAnswers || policy.onError == .fail && policy.onNotFound != .next)
    }

    /// The tiers of `pipeline` in the order of asking.
    static func all(of pipeline: PipelinePlan) -> [CoveredTier] {
        var hasEnded = false
        return pipeline.tiers.map { plan in
            let tier = CoveredTier(plan: plan, isBehindEnd: hasEnded)
            hasEnded = hasEnded || tier.endsLoads
            return tier
        }
    }
}

private struct CoverageBuilder {
    private let pipeline: PipelinePlan
    private let policy: PipelinePolicy
    private let tiers: [CoveredTier]
    private(set) var points: [CoveragePoint] = []

    init(_ pipeline: PipelinePlan) {
        self.pipeline = pipeline
        policy = pipeline.policy
        tiers = CoveredTier.all(of: pipeline)
    }

    private mutating func add(_ element: String, _ branches: [String], at range: TextRange?) {
        let range = range ?? pipeline.places.range ?? .beginning
        points += branches.map { CoveragePoint(CoveragePoint.ID(element, $0), at: range) }
    }

    /// Whether a copy of a value in this cache can expire: by its own ttl, by what its origin says, or as the copy it was made from.
    private func expires(_ tier: CoveredTier) -> Bool {
        if tier.policy.ttl != nil { return true }
        return tiers.contains { other in
            other.plan.source.capabilities?.contains(.limitsFreshness) == true
                || other.isAskedCache && other.policy.ttl != nil && other.plan.writesBackTo.contains(tier.name)
        }
    }

    private var remembersNotFound: Bool {
        policy.notFoundTTL != nil && tiers.contains { $0.isAskedOrigin && !$0.plan.source.alwaysAnswers && $0.policy.onNotFound == .stop }
    }

    private var loadsFail: Bool { tiers.contains(where: \.canFail) }
    private var copiesExpire: Bool { tiers.contains { $0.isAskedCache && expires($0) } }
    private var servesAfterError: Bool { policy.staleIfError != nil && loadsFail && copiesExpire }
    private var hasOrigin: Bool { tiers.contains { $0.isAskedOrigin } }
    /// Whether origins rest for a moment after a failed load.
    private var originsRest: Bool { servesAfterError && tiers.contains { $0.isAskedOrigin && !$0.plan.isLastResort } }
}

/// Tiers.
extension CoverageBuilder {
    mutating func addTiers() {
        for tier in tiers {
            addAttempts(of: tier)
            addPolicies(of: tier)
            if tier.isCache, tier.policy.writes { addWrites(of: tier) }
        }
    }

    private mutating func addAttempts(of tier: CoveredTier) {
        guard tier.policy.reads else { return add(tier.name, ["skipped"], at: tier.plan.places["read"] ?? tier.plan.places.range) }
        guard tier.isAsked else { return }
        add(tier.name, tier.isCache ? attempts(ofCache: tier) : attempts(ofOrigin: tier), at: tier.plan.places.range)
    }

    private func attempts(ofCache tier: CoveredTier) -> [String] {
        let isServedStale = expires(tier) && !tier.isBehindEnd && (policy.staleWhileRevalidate != nil || servesAfterError)
        let isNotFound = remembersNotFound && tier.keepsNotFound
        return ["hit", "miss"] + (expires(tier) || isNotFound ? ["expired"] : []) + (isServedStale ? ["stale"] : [])
            + (isNotFound ? ["not_found"] : []) + (tier.canFail ? ["invalid", "error", "timeout", "skipped"] : [])
    }

    private func attempts(ofOrigin tier: CoveredTier) -> [String] {
        guard tier.canFail else { return ["hit"] }
        return ["hit", "not_found", "invalid", "error", "timeout"] + (tier.hasBreaker || originsRest ? ["skipped"] : [])
    }

    private mutating func addPolicies(of tier: CoveredTier) {
        let (policy, places) = (tier.policy, tier.plan.places)
        func place(_ field: String) -> TextRange? { places[field] ?? places.range }
        if tier.isAskedCache, policy.ttl != nil { add("\(tier.name) ttl", ["crossed"], at: place("ttl")) }
        if tier.canFail {
            if let retry = policy.retry, retry.attempts > 1 { add("\(tier.name) retry", ["second try"], at: place("retry")) }
            if tier.hasBreaker { add("\(tier.name) circuit_breaker", ["open", "half open", "closed"], at: place("circuit_breaker")) }
            if policy.onError == .fail { add("\(tier.name) on_error", ["fail"], at: place("on_error")) }
            if policy.softTimeout != nil, servesAfterError { add("\(tier.name) soft_timeout", ["passed"], at: place("soft_timeout")) }
            if !tier.isCache, policy.onNotFound != .stop {
                add("\(tier.name) on_not_found", [policy.onNotFound == .next ? "next" : "fail"], at: place("on_not_found"))
            }
        }
    }

    /// Whether an answer is written to this cache; a value that is put is written to all.
    private func isFed(_ tier: CoveredTier) -> Bool {
        tiers.contains { $0.isAsked && $0.plan.writesBackTo.contains(tier.name) }
    }

    /// Whether an answer can come while this cache has a fresh copy: it is not asked, an origin is asked before it, or a feed loads.
    private func isPassedOver(_ tier: CoveredTier) -> Bool {
        !tier.policy.reads || !pipeline.feeds.isEmpty || tiers.prefix { $0.name != tier.name }.contains { $0.isAskedOrigin }
    }

    private mutating func addWrites(of tier: CoveredTier) {
        let (policy, places) = (tier.policy, tier.plan.places)
        let range = places["write"] ?? places.range
        if policy.ttl == .zero { return add("\(tier.name) write", ["skipped"], at: range) }
        let (isReal, isFed) = (tier.plan.source.isReal, isFed(tier))
        let isSkipped = isFed || policy.debounce != nil || tier.hasBreaker
        let ofAnswers = (isFed ? ["renewed"] : []) + (isFed && isPassedOver(tier) ? ["unchanged"] : [])
        let later = (policy.debounce != nil || !isReal ? ["scheduled"] : []) + (isReal ? [] : ["failed"])
        add("\(tier.name) write", ["written"] + ofAnswers + later + (isSkipped ? ["skipped"] : []), at: range)
        guard policy.debounce != nil else { return }
        add("\(tier.name) debounce", ["late", "at max_delay", "flushed", "dropped"], at: places["debounce"] ?? range)
    }
}

/// What holds for the whole pipeline.
extension CoverageBuilder {
    mutating func addWindows() {
        let places = pipeline.places
        if policy.staleWhileRevalidate != nil, copiesExpire {
            add("stale_while_revalidate", ["within", "passed"], at: places["stale_while_revalidate"])
        }
        if servesAfterError {
            add("stale_if_error", ["within", "passed"] + (originsRest ? ["paused"] : []), at: places["stale_if_error"])
        }
        if policy.refreshAhead != nil, copiesExpire, hasOrigin { add("refresh_ahead", ["refreshed"], at: places["refresh_ahead"]) }
        if remembersNotFound, tiers.contains(where: { $0.isAskedCache && $0.keepsNotFound }) {
            add("not_found_ttl", ["remembered"], at: places["not_found_ttl"])
        }
        if policy.deadline != nil, loadsFail { add("deadline", ["passed"], at: places["deadline"]) }
    }

    mutating func addFeeds() {
        for plan in pipeline.feeds {
            for (id, field) in CoveredFeed(plan: plan).points {
                let range = field.flatMap { plan.places[$0] } ?? plan.places.range ?? pipeline.places.range
                points.append(CoveragePoint(id, at: range ?? .beginning))
            }
        }
    }

    mutating func addEdges() {
        for tier in tiers where tier.isAsked {
            for cache in tier.plan.writesBackTo where cache != tier.name {
                let target = tiers.first { $0.name == cache }?.plan.places.range
                points.append(
                    CoveragePoint(
                        .edge(from: tier.name, to: cache),
                        at: pipeline.places["write_back"] ?? target ?? pipeline.places.range ?? .beginning))
            }
        }
    }
}
