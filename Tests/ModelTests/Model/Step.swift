import Pipeline
import PipelineTesting

/// What is done to a pipeline. Keys are numbers from 0 to 2, times are nanoseconds.
enum Step: Equatable {
    enum Failing: String, CaseIterable {
        case reads, writes, removes
    }

    enum Answer: Equatable {
        case value(Int, freshFor: Int64?)
        case notFound
        case miss
        case error
        /// A failure that proves that the source is well.
        case rejection
        case invalid
    }

    case fetch(key: Int, FetchPolicy)
    case put(key: Int, Int)
    case remove(key: Int)
    case clear
    case advance(Int64)
    case fail(tier: Int, Failing, Bool)
    case answer(tier: Int, Answer, delay: Int64)
    case delayReads(tier: Int, Int64)
    /// Another process writes a copy into a slow cache; nil is one that is no JSON.
    case plant(tier: Int, key: Int, Int?, freshFor: Int64?)
    case flush
    /// The process ends, in order or not, and begins anew.
    case restart(isOrderly: Bool)
}

extension Step {
    /// A step for a pipeline of this kind.
    ///
    /// - Parameter boundaries: how long from now the moments are at which something ends.
    static func random(for spec: PipelineSpec, boundaries: [Int64], _ numbers: inout SplitMix64) -> Step {
        let tier = numbers.below(spec.tiers.count)
        // The first key is the busy one.
        let key = numbers.chance(65) ? 0 : numbers.below(3)
        switch numbers.below(1_000) {
        case ..<480:
            let others: [FetchPolicy] = spec.hasSlowDisks ? [.cacheOnly, .noStore] : [.refresh, .refresh, .cacheOnly, .noStore]
            return .fetch(key: key, numbers.chance(70) ? .default : numbers.pick(others))
        case ..<680:
            if !boundaries.isEmpty, numbers.chance(50) {
                return .advance(max(0, numbers.pick(boundaries) + Int64(numbers.pick([-1, 0, 0, 1]))))
            }
            return .advance(Int64(numbers.pick([1, 5, 20, 50, 120, 400, 1_000, 2_500])) * 1_000_000)
        case ..<790:
            return spec.tiers[tier].kind == .origin
                ? .answer(tier: tier, .random(&numbers), delay: delay(&numbers)) : .fail(tier: tier, .reads, numbers.chance(40))
        case ..<870: return .fail(tier: tier, numbers.pick(spec.hasSlowDisks ? [.reads, .writes] : Failing.allCases), numbers.chance(45))
        case ..<910: return .put(key: key, 1 + numbers.below(4))
        case ..<945: return .remove(key: key)
        case ..<955: return .clear
        case ..<980 where spec.tiers[tier].kind == .disk:
            return .plant(
                tier: tier, key: key, numbers.chance(30) ? nil : 1 + numbers.below(4),
                freshFor: numbers.chance(50) ? Int64(numbers.pick([10, 60, 500])) * 1_000_000 : nil)
        case ..<990 where spec.tiers[tier].kind == .disk && spec.hasSlowDisks: return .delayReads(tier: tier, delay(&numbers))
        case ..<996: return .flush
        default: return .restart(isOrderly: numbers.chance(50))
        }
    }

    /// Mostly none; else one that nothing else takes to the nanosecond.
    private static func delay(_ numbers: inout SplitMix64) -> Int64 {
        guard numbers.chance(40) else { return 0 }
        return Int64(numbers.pick([3, 12, 33, 80, 40_000])) * 1_000_000 + Int64(1 + numbers.below(999_999))
    }
}

extension Step.Answer {
    fileprivate static func random(_ numbers: inout SplitMix64) -> Step.Answer {
        switch numbers.below(100) {
        case ..<55: .value(1 + numbers.below(4), freshFor: numbers.chance(25) ? Int64(numbers.pick([10, 80, 700])) * 1_000_000 : nil)
        case ..<70: .notFound
        case ..<75: .miss
        case ..<84: .error
        case ..<90: .rejection
        default: .invalid
        }
    }
}
