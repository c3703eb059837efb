internal import Pipeline
internal import PipelineConfig

extension PipelineFacts {
    /// The consequences when a tier is down.
    var failures: [Sentence] {
        asked.filter(\.canFail).flatMap { tier in
            [TierField.retry, .circuitBreaker, .onError].flatMap { sentences($0, of: tier) }
        } + ending
    }

    func retries(of tier: TierPlan) -> [Sentence] {
        guard let retry = tier.policy.retry, retry.attempts > 1 else { return [] }
        let waits = Self.waits(retry)
        let times = retry.attempts == 2 ? "once" : "up to \(retry.attempts - 1) times"
        let shown = waits.prefix(3).map(Self.words)
        let words =
            waits.count == 1
            ? "at most \(shown[0]) later"
            : "after random waits of at most \(waits.count > 3 ? shown.joined(separator: ", ") + ", …" : Self.listed(Array(shown)))"
        return [
            Sentence(
                text:
                    "A read of \(tier.quoted) that fails is tried \(times) more, \(words)\(Self.longerWait(of: tier)).",
                grounds: [ground(.retry, of: tier)])
        ]
    }

    /// The limits that end a wait later; nothing if no server says so.
    private static func longerWait(of tier: TierPlan) -> String {
        tier.source.pace == nil ? "" : ", or as long as the server asks for (`Retry-After`)"
    }

    /// The longest waits between the tries.
    static func waits(_ retry: RetryPolicy) -> [Duration] {
        (1..<max(1, retry.attempts)).map { failures in
            var wait = retry.base
            for _ in 1..<failures where wait < retry.max { wait *= 2 }
            return min(wait, retry.max)
        }
    }

    func circuit(of tier: TierPlan) -> [Sentence] {
        guard let breaker = tier.policy.circuitBreaker, breaker.failures > 0 else { return [] }
        let failures = breaker.failures == 1 ? "one failure" : "\(breaker.failures) failures in a row"
        return [
            Sentence(
                text:
                    "After \(failures) \(tier.quoted) is skipped for \(Self.words(breaker.openFor)), and reads of it fail at once; then "
                    + "one request is let through, without retries.", grounds: [ground(.circuitBreaker, of: tier)])
        ]
    }

    func failure(of tier: TierPlan) -> [Sentence] {
        let above = above(tier)
        let hasCopies = ifError != nil && above.contains(where: \.isCache)
        guard tier.policy.onError == .next else {
            let text = "When \(tier.quoted) fails, nothing below it is asked: the fetch fails with `tier_failed`"
            return [
                Sentence(
                    text: text + (hasCopies ? ", unless a cache above it has a stale copy that may be served." : "."),
                    grounds: [ground(.onError, of: tier)] + (hasCopies ? [ground(.staleIfError)] : []))
            ]
        }
        guard let next = asked.dropFirst(above.count + 1).first else {
            return [Sentence(text: "When \(tier.quoted) fails, no tier is left to ask.", grounds: [ground(of: tier)])]
        }
        if next.isLastResort, !tier.isLastResort, hasCopies {
            return [
                Sentence(
                    text: "When \(tier.quoted) fails, a stale copy within its window is served, and without one \(next.quoted) is asked.",
                    grounds: [ground(.onError, of: tier), ground(.staleIfError), ground(of: next)])
            ]
        }
        return [
            Sentence(
                text: "When \(tier.quoted) fails, \(next.quoted) is asked.", grounds: [ground(.onError, of: tier), ground(of: next)])
        ]
    }

    /// The end of a fetch that no tier answers; nothing if one always does, or ends the fetch otherwise.
    private var ending: [Sentence] {
        guard end == nil, asked.contains(where: { $0.canFail && $0.policy.onError == .next }) else { return [] }
        let text = "When a tier failed and none has an answer, the fetch fails with `every_tier_failed`, which names what each of them did"
        guard ifError != nil, !askedCaches.isEmpty else { return [Sentence(text: text + ".", grounds: [.always])] }
        return [Sentence(text: text + ", unless a cache has a stale copy that may be served.", grounds: [ground(.staleIfError)])]
    }
}
