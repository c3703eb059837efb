import Pipeline
import PipelineTesting

extension PipelineSpec {
    /// A pipeline of one to four tiers in any order, with any policy that the configuration allows.
    static func random(_ numbers: inout SplitMix64) -> PipelineSpec {
        var spec = PipelineSpec(tiers: [])
        // Half of the pipelines are what people write: caches, and an origin at the end. The others are anything.
        let isUsual = numbers.chance(50)
        let count = 1 + numbers.below(4)
        for index in 0..<count {
            let isLast = index == count - 1
            let kind: TierSpec.Kind =
                isUsual ? (isLast ? .origin : index == 0 ? .memory : .disk) : numbers.pick([.memory, .disk, .disk, .origin])
            spec.tiers.append(.random(kind, &numbers))
        }
        if numbers.chance(25) { spec.staleWhileRevalidate = numbers.pick([30, 200, 2_000]) }
        if numbers.chance(35) { spec.staleIfError = numbers.pick([30, 500, 5_000]) }
        if numbers.chance(35) { spec.notFoundTTL = numbers.pick([0, 40, 300]) }
        if numbers.chance(25) { spec.refreshAhead = numbers.pick([25, 50, 75]) }
        if numbers.chance(15) { spec.deadline = numbers.pick([45, 90]) }
        spec.writeBack = .random(for: spec, &numbers)
        if numbers.chance(40) {
            spec.slowDown()
            if numbers.chance(50) { spec.diskReading = .inTurn }
        } else {
            spec.diskReading = numbers.pick([.inTask, .onThread, .inTurn])
        }
        return spec
    }
}

extension PipelineSpec {
    /// Gives it slow disks, and what they need: every cache that is written is asked before, in the same fetch.
    fileprivate mutating func slowDown() {
        hasSlowDisks = true
        if case .routes = writeBack { writeBack = .auto }
        staleWhileRevalidate = nil
        refreshAhead = nil
        for tier in tiers.indices {
            tiers[tier].breaker = nil
            tiers[tier].reads = true
        }
        let (caches, origins) = (tiers.filter(\.isCache), tiers.filter { !$0.isCache })
        tiers = caches + origins
    }
}

extension PipelineSpec.WriteBack {
    fileprivate static func random(for spec: PipelineSpec, _ numbers: inout SplitMix64) -> PipelineSpec.WriteBack {
        if numbers.chance(70) { return .auto }
        if numbers.chance(20) { return .none }
        var routes: [Int: [Int]] = [:]
        for tier in spec.tiers.indices where numbers.chance(80) {
            routes[tier] = spec.tiers.indices.filter {
                $0 != tier && spec.tiers[$0].isCache && spec.tiers[$0].writes && numbers.chance(60)
            }
        }
        return .routes(routes)
    }
}

extension TierSpec {
    fileprivate static func random(_ kind: Kind, _ numbers: inout SplitMix64) -> TierSpec {
        var tier = TierSpec(kind: kind, keepsNotFound: kind == .memory || kind == .disk && numbers.chance(40))
        if tier.isCache {
            if numbers.chance(75) { tier.ttl = numbers.pick([50, 100, 400, 1_500]) }
            if numbers.chance(4) { tier.ttl = 0 }
            if numbers.chance(kind == .disk ? 35 : 8), tier.ttl != 0 {
                // Shorter than the ttl: anything else is P305.
                tier.debounce = numbers.pick([20, 45])
                if numbers.chance(50) { tier.maxDelay = numbers.pick([45, 110]) }
            }
            if numbers.chance(8) { tier.writes = false }
        }
        if numbers.chance(6) { tier.reads = false }
        if numbers.chance(10) { tier.failsFinally = true }
        if kind == .origin {
            if numbers.chance(20) { tier.onNotFound = numbers.pick([.next, .fail]) }
            if numbers.chance(15) { tier.isLastResort = true }
        }
        // Limits, pauses and delays never end at the same moment: their sums differ.
        if kind != .memory {
            if numbers.chance(30) { tier.timeout = numbers.pick([25, 60]) }
            if numbers.chance(15) { tier.retry = Retry(attempts: 2 + numbers.below(2), base: 7, max: numbers.pick([7, 14, 1_000])) }
            if numbers.chance(15), tier.retry == nil { tier.softTimeout = numbers.pick([5, 17]) }
            if numbers.chance(20) { tier.breaker = Breaker(failures: numbers.below(4), openFor: numbers.pick([35, 300])) }
        }
        return tier
    }
}
