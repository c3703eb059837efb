internal import Pipeline
internal import PipelineConfig

extension PipelineFacts {
    /// How long a tier and the whole can take.
    var times: [Sentence] {
        let limits = asked.map { (tier: $0, limit: limit(of: $0)) }
        let slow = limits.filter { $0.limit != nil }
        var sentences = slow.map { limitation(of: $0.tier, to: $0.limit ?? .zero) }
        let quick = limits.filter { $0.limit == nil }.map(\.tier.quoted)
        if !quick.isEmpty {
            sentences.insert(
                Sentence(text: "\(Self.listed(quick)) \(quick.count == 1 ? "answers" : "answer") at once.", grounds: [.always]), at: 0)
        }
        return sentences + whole(slow.compactMap(\.limit).reduce(.zero, +), slow.count)
    }

    /// How long a tier has to answer; nil for one that answers at once.
    func limit(of tier: TierPlan) -> Duration? {
        guard !tier.can(.answersAtOnce) else { return nil }
        let own = tier.policy.timeLimit
        return tries(of: tier).map { min($0, own) } ?? own
    }

    /// How long all tries take at most, where the source limits each of them.
    private func tries(of tier: TierPlan) -> Duration? {
        guard let source = sourceLimits[tier.name] else { return nil }
        guard let retry = tier.policy.retry else { return source.limit }
        return source.limit * retry.attempts + Self.waits(retry).reduce(.zero, +)
    }

    private func limitation(of tier: TierPlan, to limit: Duration) -> Sentence {
        let own = tier.policy.timeLimit
        let isRetried = (tier.policy.retry?.attempts ?? 1) > 1
        if let source = sourceLimits[tier.name], limit < own {
            let ground = source.range.map(Ground.place) ?? .byDefault
            return Sentence(
                text: "\(tier.quoted) has \(Self.words(limit)) to answer"
                    + (isRetried
                        ? ": each try ends after the \(Self.words(source.limit)) that its source allows." : ", the limit of its source."),
                grounds: [ground] + (isRetried ? [self.ground("retry", of: tier)] : []))
        }
        return Sentence(
            text: "\(tier.quoted) has \(Self.words(limit)) to answer\(isRetried ? ", all tries and waits included" : "").",
            grounds: [ground("timeout", of: tier)])
    }

    private func whole(_ sum: Duration, _ count: Int) -> [Sentence] {
        guard count > 0 else { return [] }
        let waits = groundsOfWaiting
        let wait = waits.isEmpty ? "" : ", and a load of another process is waited for before that"
        let added = count == 1 && waits.isEmpty ? "" : "The time limits of the tiers add up to \(Self.words(sum))\(wait)"
        guard let deadline = plan.policy.deadline else {
            let text = added.isEmpty ? "There is no deadline for the whole fetch." : "\(added); there is no deadline for the whole fetch."
            return [Sentence(text: text, grounds: [ground("deadline")] + waits)]
        }
        let end = ifError != nil && !askedCaches.isEmpty ? "`deadline_exceeded`, unless a stale copy may be served" : "`deadline_exceeded`"
        var sentences = [
            Sentence(
                text:
                    "The whole fetch gets \(Self.words(deadline)): each tier has what is left of it, and when it is over, the fetch fails "
                    + "with \(end).",
                grounds: [ground("deadline")])
        ]
        // A wait for another process has no limit but the deadline.
        if sum < deadline, waits.isEmpty {
            let text = added.isEmpty ? "The time limit of the tier is shorter than that." : "\(added), less than that."
            sentences.append(Sentence(text: text, grounds: asked.filter { limit(of: $0) != nil }.map { ground("timeout", of: $0) }.uniqued))
        }
        return sentences
    }
}
