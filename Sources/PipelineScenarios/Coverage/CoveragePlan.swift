internal import Pipeline
package import PipelineConfig

/// The points that can be reached at each place of a pipeline, by its plan alone.
///
/// What only a call asks for, such as a tier that `cache-only` skips, is no branch of the configuration and is not counted.
struct CoveragePlan {
    /// The points in reading order, each once.
    let points: [CoveragePoint]

    /// - Parameter sends: those that change the pipeline.
    init(_ pipeline: PipelinePlan, _ sends: [CoveredSend]) {
        var builder = CoverageBuilder(pipeline, sends)
        builder.addTiers()
        builder.addWindows()
        builder.addEdges()
        builder.addFeeds()
        builder.addSends()
        points = builder.points.enumerated().sorted { ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset) }.map(
            \.element)
    }
}

/// A tier as far as coverage goes by it.
struct CoveredTier {
    let plan: TierPlan
    let reach: Reach.Degree

    var name: String { plan.source.name }
    var policy: TierPolicy { plan.policy }
    var isCache: Bool { plan.source.isWritable == true }
    /// Memory answers at once and always.
    var canFail: Bool { !plan.source.isReal && !plan.source.alwaysAnswers && isAsked }
    var isAsked: Bool { reach != .never }
    var isAskedCache: Bool { isCache && isAsked }
    var isAskedOrigin: Bool { !isCache && isAsked }
    var keepsNotFound: Bool { plan.source.capabilities?.contains(.keepsNotFound) == true }
    /// Indicates whether it is a cache that keeps copies of what it is given.
    var isFilled: Bool { isCache && policy.writes && policy.ttl != .zero }
    var hasBreaker: Bool { canFail && policy.circuitBreaker.map { $0.failures > 0 } ?? false }

    /// The tiers of `pipeline` in the order of asking.
    static func all(of pipeline: PipelinePlan) -> [CoveredTier] {
        zip(pipeline.tiers, pipeline.reach(isScripted: true).degrees).map { CoveredTier(plan: $0, reach: $1) }
    }
}

private struct CoverageBuilder {
    private let pipeline: PipelinePlan
    private let policy: PipelinePolicy
    private let tiers: [CoveredTier]
    private let sends: [CoveredSend]
    private(set) var points: [CoveragePoint] = []

    init(_ pipeline: PipelinePlan, _ sends: [CoveredSend]) {
        self.pipeline = pipeline
        self.sends = sends
        policy = pipeline.policy
        tiers = CoveredTier.all(of: pipeline)
    }

    private mutating func add(_ element: String, _ branches: [String], at range: TextRange?) {
        let range = range ?? beginning
        points += branches.map { CoveragePoint(CoveragePoint.ID(element, $0), at: range) }
    }

    /// The place of the pipeline, for what no line says.
    private var beginning: TextRange { pipeline.places.range ?? .beginning }

    /// Indicates whether a copy of a value in this cache can expire: by its own ttl, by what its origin says, or as the copy it was made
    /// from.
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

    /// Indicates whether a fresh copy of a cache below can take the place of one that is refreshed.
    private func findsBelow(_ degrees: [Reach.Degree]) -> Bool {
        guard let first = tiers.firstIndex(where: { $0.isAskedCache && expires($0) }) else { return false }
        return tiers[(first + 1)...].contains { $0.isCache && degrees.contains($0.reach) }
    }

    private var loadsFail: Bool { tiers.contains(where: \.canFail) }
    private var copiesExpire: Bool { tiers.contains { $0.isAskedCache && expires($0) } }
    private var servesAfterError: Bool { policy.staleIfError != nil && loadsFail && copiesExpire }
    private var hasOrigin: Bool { tiers.contains { $0.isAskedOrigin } }
    /// Indicates whether origins rest for a moment after a failed load.
    private var originsRest: Bool { servesAfterError && tiers.contains { $0.isAskedOrigin && !$0.plan.isLastResort } }
}

/// Tiers.
extension CoverageBuilder {
    mutating func addTiers() {
        for tier in tiers {
            addAttempts(of: tier)
            addPolicies(of: tier)
        }
    }

    private mutating func addAttempts(of tier: CoveredTier) {
        guard tier.policy.reads else { return add(tier.name, ["skipped"], at: tier.plan.places[.reads] ?? tier.plan.places.range) }
        guard tier.isAsked else { return }
        add(tier.name, tier.isCache ? attempts(ofCache: tier) : attempts(ofOrigin: tier), at: tier.plan.places.range)
    }

    private func attempts(ofCache tier: CoveredTier) -> [String] {
        let isServedStale = expires(tier) && tier.reach == .asked && (policy.staleWhileRevalidate != nil || servesAfterError)
        let isNotFound = remembersNotFound && tier.keepsNotFound
        return ["hit", "miss"] + (expires(tier) || isNotFound ? ["expired"] : []) + (isServedStale ? ["stale"] : [])
            + (isNotFound ? ["not_found"] : []) + (tier.canFail ? ["invalid", "error", "timeout", "skipped"] : [])
    }

    private func attempts(ofOrigin tier: CoveredTier) -> [String] {
        guard tier.canFail else { return ["hit"] }
        return ["hit", "not_found", "invalid", "error", "timeout"] + (tier.hasBreaker || originsRest ? ["skipped"] : [])
    }

    private mutating func addPolicies(of tier: CoveredTier) {
        let places = tier.plan.places
        for field in TierField.allCases {
            for branch in branches(of: field, tier) {
                points.append(CoveragePoint(.policy(field, of: tier.name, branch), at: places[field] ?? places.range ?? beginning))
            }
        }
    }

    /// The branches that a field of a tier makes possible.
    private func branches(of field: TierField, _ tier: CoveredTier) -> [String] {
        let policy = tier.policy
        switch field {
        case .ttl: return tier.isAskedCache && policy.ttl != nil ? ["crossed"] : []
        case .debounce: return tier.isFilled && policy.debounce != nil ? ["late", "at max_delay", "flushed", "dropped"] : []
        case .softTimeout: return tier.canFail && policy.softTimeout != nil && servesAfterError ? ["passed"] : []
        case .onError: return tier.canFail && policy.onError == .fail ? ["fail"] : []
        case .onNotFound: return tier.canFail && !tier.isCache && policy.onNotFound != .stop ? [policy.onNotFound.rawValue] : []
        case .writes: return tier.isCache && policy.writes ? writes(to: tier) : []
        case .retry: return tier.canFail && policy.retry.map { $0.attempts > 1 } ?? false ? ["second try"] : []
        case .circuitBreaker: return tier.hasBreaker ? ["open", "half open", "closed"] : []
        // They decide when and in which order something happens that is counted otherwise.
        case .jitter, .maxDelay, .timeout, .lastResort, .reads: return []
        }
    }

    /// Indicates whether an answer is written to this cache; a value that is put is written to all.
    private func isFed(_ tier: CoveredTier) -> Bool {
        tiers.contains { $0.isAsked && $0.plan.writesBackTo.contains(tier.name) }
    }

    /// Indicates whether an answer can come while this cache has a fresh copy: it is not asked, an origin is asked before it, or a feed
    /// or a send loads.
    private func isPassedOver(_ tier: CoveredTier) -> Bool {
        !tier.policy.reads || !pipeline.feeds.isEmpty || !sends.isEmpty
            || tiers.prefix { $0.name != tier.name }.contains { $0.isAskedOrigin }
    }

    private func writes(to tier: CoveredTier) -> [String] {
        guard tier.isFilled else { return ["skipped"] }
        let (policy, isReal, isFed) = (tier.policy, tier.plan.source.isReal, isFed(tier))
        let isSkipped = isFed || policy.debounce != nil || tier.hasBreaker
        let ofAnswers = (isFed ? ["renewed"] : []) + (isFed && isPassedOver(tier) ? ["unchanged"] : [])
        let later = (policy.debounce != nil || !isReal ? ["scheduled"] : []) + (isReal ? [] : ["failed"])
        return ["written"] + ofAnswers + later + (isSkipped ? ["skipped"] : [])
    }
}

/// The points of the pipeline itself.
extension CoverageBuilder {
    mutating func addWindows() {
        for field in PipelineField.allCases {
            for branch in branches(of: field) {
                points.append(CoveragePoint(.policy(field, branch), at: pipeline.places[field] ?? beginning))
            }
        }
    }

    /// The branches that a field of the pipeline makes possible.
    private func branches(of field: PipelineField) -> [String] {
        switch field {
        case .staleWhileRevalidate:
            guard policy.staleWhileRevalidate != nil, copiesExpire else { return [] }
            return ["within", "passed"] + (findsBelow([.asked, .besideStale]) ? ["found below"] : [])
        case .staleIfError: return servesAfterError ? ["within", "passed"] + (originsRest ? ["paused"] : []) : []
        case .refreshAhead:
            guard policy.refreshAhead != nil, copiesExpire, hasOrigin else { return [] }
            return ["refreshed"] + (findsBelow([.asked]) ? ["found below"] : [])
        case .notFoundTTL: return remembersNotFound && tiers.contains { $0.isAskedCache && $0.keepsNotFound } ? ["remembered"] : []
        case .deadline: return policy.deadline != nil && loadsFail ? ["passed"] : []
        // Their tiers, edges and feeds are counted.
        case .tiers, .writeBack, .live: return []
        case .description, .parameters, .format, .combine, .links, .priority, .maxSize: return []
        }
    }

    mutating func addFeeds() {
        for plan in pipeline.feeds {
            for (id, field) in CoveredFeed(plan: plan).points {
                points.append(CoveragePoint(id, at: field.flatMap { plan.places[$0] } ?? plan.places.range ?? beginning))
            }
        }
    }

    mutating func addSends() {
        for send in sends {
            let places = send.plan.places
            for (id, field) in send.points {
                points.append(CoveragePoint(id, at: field.flatMap { places[ofSend: $0] } ?? places.range ?? beginning))
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
                        at: pipeline.places[.writeBack] ?? target ?? beginning))
            }
        }
    }
}

/// One thing that can happen at a place of a configuration: `disk expired`, `stale_if_error within`.
package struct CoveragePoint: Sendable, Hashable {
    /// The name of the point within an order of a pipeline.
    package struct ID: Sendable, Hashable {
        /// The place of the point: `disk`, `disk write`, `disk debounce`, `stale_if_error`, `write_back api → disk`.
        package let element: String
        /// The event: `hit`, `scheduled`, `flushed`, `within`.
        package let branch: String

        package init(_ element: String, _ branch: String) {
            (self.element, self.branch) = (element, branch)
        }
    }

    package let id: ID
    /// The line of the configuration that says so; the pipeline if no line does.
    package let range: TextRange
    /// The number of runs that reached it.
    package var reached = 0
    /// The number of runs with an expectation that depended on it.
    package var asserted = 0

    package init(_ id: ID, at range: TextRange) {
        (self.id, self.range) = (id, range)
    }
}

extension CoveragePoint.ID {
    static func write(_ cache: String, _ branch: String) -> Self { policy(.writes, of: cache, branch) }
    static func policy(_ field: TierField, of source: String, _ branch: String) -> Self { Self("\(source) \(field.rawValue)", branch) }
    static func policy(_ field: PipelineField, _ branch: String) -> Self { Self(field.rawValue, branch) }
    static func send(_ name: String, _ branch: String, of field: SendField? = nil) -> Self {
        Self("send \(name)" + (field.map { " \($0.rawValue)" } ?? ""), branch)
    }
    static func feed(_ field: String, of source: String, _ branch: String) -> Self { Self("\(source) \(field)", branch) }
    static func edge(from source: String, to cache: String) -> Self { Self("write_back \(source) → \(cache)", "written") }
}
