internal import Pipeline

/// Which tiers of a pipeline a fetch can come to. All that says so asks here: `validate`, and by its problems `graph`, `explain` and coverage.
package struct Reach: Sendable {
    package enum Degree: Sendable {
        /// It is asked when the tiers above it have no answer.
        case asked
        /// A cache below a tier that ends every fetch: asked for a fresh copy that takes the place of a stale one, and while origins rest
        /// after a failed load.
        case besideStale
        /// A cache below such a tier where no stale copy is served: only the policy `cache-only` passes origins over.
        case byCall
        /// It is asked by no fetch.
        case never
    }

    /// That of each tier, in the order of asking.
    package let degrees: [Degree]
    /// The place of the tier that ends every fetch that comes to it; nil where none does.
    package let end: Int?

    /// - Parameters:
    ///   - tiers: in the order of asking.
    ///   - policy: that of the pipeline; nil where it is not known.
    ///   - isScripted: whether scripts take the place of origins, which then never miss.
    init(_ tiers: [OrderedTier], _ policy: PipelinePolicy?, isScripted: Bool = false) {
        let end = tiers.firstIndex { $0.endsEveryFetch(isScripted: isScripted) }
        let servesStale = end.map { Self.servesStale(tiers, upTo: $0, policy) } ?? false
        self.end = end
        degrees = tiers.indices.map { index in
            let tier = tiers[index]
            if !tier.policy.reads { return .never }
            guard let end, index > end else { return .asked }
            if tier.source.isWritable != true { return .never }
            return servesStale ? .besideStale : .byCall
        }
    }

    /// Indicates whether a cache below the tier at `end` may be asked beside a stale copy.
    private static func servesStale(_ tiers: [OrderedTier], upTo end: Int, _ policy: PipelinePolicy?) -> Bool {
        guard let policy else { return true }
        // Where the pipeline has no window, a response may allow one.
        let mayBeAllowed = tiers.contains { $0.source.limitsFreshness && $0.policy.reads }
        func isOpen(_ window: Duration?) -> Bool { window.map { $0 > .zero } ?? mayBeAllowed }
        let hasCopies = tiers[..<end].contains { $0.source.isWritable == true && $0.policy.reads }
        let fails = tiers[...end].contains { tier in
            let fails = tier.policy.onError == .fail || tier.policy.softTimeout != nil || policy.deadline != nil
            return tier.policy.reads && (!tier.isSound || tier.canFail && fails)
        }
        return isOpen(policy.staleWhileRevalidate) && hasCopies || isOpen(policy.staleIfError) && fails
    }
}

extension OrderedTier {
    /// Indicates whether all of it could be read.
    fileprivate var isSound: Bool { tier?.isSound ?? true }

    /// Indicates whether a read of it can fail: not one of what is at hand.
    fileprivate var canFail: Bool { source.capabilities?.isDisjoint(with: [.answersAtOnce, .alwaysAnswers]) ?? true }

    /// Indicates whether no fetch that asks it goes on to the next: it answers, says that there is no value, or its failure ends the fetch.
    fileprivate func endsEveryFetch(isScripted: Bool) -> Bool {
        guard let capabilities = source.capabilities, source.isWritable == false, isSound, policy.reads else { return false }
        if capabilities.contains(.alwaysAnswers) { return true }
        return (isScripted || capabilities.contains(.neverMisses)) && policy.onError == .fail && policy.onNotFound != .next
    }
}

extension PipelinePlan {
    /// - Parameter isScripted: whether scripts take the place of origins.
    package func reach(isScripted: Bool = false) -> Reach {
        Reach(tiers.map { OrderedTier(source: $0.source, tier: $0.declared) }, policy, isScripted: isScripted)
    }
}
