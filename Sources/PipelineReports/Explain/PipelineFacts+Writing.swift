internal import Pipeline
internal import PipelineConfig

extension PipelineFacts {
    /// What is written where, and when.
    var writing: [Sentence] {
        let writers = asked.filter { !targets(of: $0).isEmpty }
        guard !writers.isEmpty else {
            return plan.tiers.contains(where: \.isCache)
                ? [Sentence(text: "No answer is written to any cache.", grounds: [ground("write_back")])] + neverFilled : []
        }
        let caches = plan.tiers.filter { cache in writers.contains { $0.writesBackTo.contains(cache.name) } }
        return writers.map(destinations) + caches.compactMap(delay) + neverFilled
            + [
                Sentence(
                    text: "A value that a cache holds already is not written again: it counts there from when it was confirmed.",
                    grounds: [.always]),
                Sentence(text: "A write that fails never fails the fetch.", grounds: [.always]),
            ]
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
        return Sentence(text: "What \(tier.quoted) answers is written \(text).", grounds: [ground("write_back")])
    }

    private func delay(of cache: TierPlan) -> Sentence? {
        guard let quiet = cache.policy.debounce, quiet > .zero else { return nil }
        let longest = cache.policy.maxDelay ?? TierPolicy.defaultMaxDelay(debounce: quiet)
        return Sentence(
            text:
                "A write to \(cache.quoted) waits until nothing newer came for \(Self.words(quiet)), at most \(Self.words(longest)); a fetch "
                + "sees the value that waits.", grounds: [ground("debounce", of: cache), ground("max_delay", of: cache)])
    }

    /// The caches that no answer of an origin can come to.
    var neverFilled: [Sentence] {
        let filled = Set(longestLives.keys)
        return plan.tiers.filter { $0.isCache && !filled.contains($0.name) && !$0.keepsNothing }.map { cache in
            cache.policy.writes
                ? Sentence(
                    text:
                        "\(cache.quoted) is never filled: no answer of an origin is written to it. It has only what `pipe-run put` or others "
                        + "store there.", grounds: [ground("write_back")])
                : Sentence(
                    text: "\(cache.quoted) is never filled: its tier says `write: false`. It has only what others store there.",
                    grounds: [ground("write", of: cache)])
        }
    }
}

extension TierPlan {
    /// Whether it is written before the fetch returns.
    fileprivate var isWrittenFirst: Bool { can(.answersAtOnce) && policy.debounce == nil }
}
