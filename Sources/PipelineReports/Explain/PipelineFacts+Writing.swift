internal import Pipeline
internal import PipelineConfig

extension PipelineFacts {
    /// The caches that are written, and the moments when they are.
    var writing: [Sentence] {
        let writers = asked.filter { !targets(of: $0).isEmpty }
        guard !writers.isEmpty else {
            return plan.tiers.contains(where: \.isCache)
                ? [Sentence(text: "No answer is written to any cache.", grounds: [ground(.writeBack)])] + neverFilled : []
        }
        let caches = plan.tiers.filter { cache in writers.contains { $0.writesBackTo.contains(cache.name) } }
        let known = Sentence(
            text: "A value that a cache holds already is not written again: it counts there from when it was confirmed.", grounds: [.always]
        )
        let failing = Sentence(text: "A write that fails never fails the fetch.", grounds: [.always])
        return writers.map(destinations) + caches.flatMap { sentences(.debounce, of: $0) } + neverFilled + [known]
            + (caches.contains(where: \.canFail) ? [failing] : [])
    }

    private func destinations(of tier: TierPlan) -> Sentence {
        let caches = targets(of: tier)
        let before = caches.filter(\.isWrittenFirst).map(\.quoted)
        let after = caches.filter { !$0.isWrittenFirst }.map(\.quoted)
        let parts = [
            before.isEmpty ? nil : "to \(Self.listed(before)) before the fetch returns",
            after.isEmpty ? nil : "to \(Self.listed(after)) after that",
        ].compactMap { $0 }
        let text = before.isEmpty ? "to \(Self.listed(after)) after the fetch has returned" : parts.joined(separator: ", and ")
        return Sentence(text: "What \(tier.quoted) answers is written \(text).", grounds: [ground(.writeBack)])
    }

    func delay(of cache: TierPlan) -> [Sentence] {
        guard let quiet = cache.policy.debounce, quiet > .zero else { return [] }
        let longest = cache.policy.maxDelay ?? TierPolicy.defaultMaxDelay(debounce: quiet)
        return [
            Sentence(
                text:
                    "A write to \(cache.quoted) waits until nothing newer came for \(Self.words(quiet)), at most \(Self.words(longest)); a fetch "
                    + "sees the value that waits.", grounds: [ground(.debounce, of: cache), ground(.maxDelay, of: cache)])
        ]
    }

    /// The caches that no answer of an origin can come to.
    var neverFilled: [Sentence] {
        let filled = Set(longestLives.keys)
        return plan.tiers.filter { $0.isCache && !filled.contains($0.name) && !$0.keepsNothing }.flatMap { sentences(.writes, of: $0) }
    }

    /// - Parameter cache: one that no answer of an origin comes to.
    func neverFilled(_ cache: TierPlan) -> [Sentence] {
        [
            cache.policy.writes
                ? Sentence(
                    text:
                        "\(cache.quoted) is never filled: no answer of an origin is written to it. It has only what `pipe-run put` or others "
                        + "store there.", grounds: [ground(.writeBack)])
                : Sentence(
                    text: "\(cache.quoted) is never filled: its tier says `write: false`. It has only what others store there.",
                    grounds: [ground(.writes, of: cache)])
        ]
    }
}

extension TierPlan {
    /// Indicates whether it is written before the fetch returns.
    fileprivate var isWrittenFirst: Bool { can(.answersAtOnce) && policy.debounce == nil }
}
