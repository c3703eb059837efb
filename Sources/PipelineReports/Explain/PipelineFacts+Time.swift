internal import Pipeline
package import PipelineConfig

extension PipelineFacts {
    /// The longest times of each tier and of the fetch.
    var times: [Sentence] {
        let quick = asked.filter { limit(of: $0) == nil }.map(\.quoted)
        let atOnce = Sentence(text: "\(Self.listed(quick)) \(quick.count == 1 ? "answers" : "answer") at once.", grounds: [.always])
        return (quick.isEmpty ? [] : [atOnce]) + asked.flatMap { sentences(.timeout, of: $0) } + sentences(.deadline)
    }

    /// The time a tier has to answer; nil for one that answers at once.
    func limit(of tier: TierPlan) -> Duration? {
        guard !tier.can(.answersAtOnce) else { return nil }
        let own = tier.policy.timeLimit
        return tries(of: tier).map { min($0, own) } ?? own
    }

    /// The longest time of all tries, if the source limits each of them.
    private func tries(of tier: TierPlan) -> Duration? {
        guard let source = sourceLimits[tier.name] else { return nil }
        guard let retry = tier.policy.retry else { return source.limit }
        return source.limit * retry.attempts + Self.waits(retry).reduce(.zero, +)
    }

    func limitation(of tier: TierPlan) -> [Sentence] {
        guard let limit = limit(of: tier) else { return [] }
        let own = tier.policy.timeLimit
        let isRetried = (tier.policy.retry?.attempts ?? 1) > 1
        if let source = sourceLimits[tier.name], limit < own {
            let ground = source.range.map(Ground.place) ?? .byDefault
            let words =
                isRetried ? ": each try ends after the \(Self.words(source.limit)) that its source allows." : ", the limit of its source."
            return [
                Sentence(
                    text: "\(tier.quoted) has \(Self.words(limit)) to answer\(words)",
                    grounds: [ground] + (isRetried ? [self.ground(.retry, of: tier)] : []))
            ]
        }
        return [
            Sentence(
                text: "\(tier.quoted) has \(Self.words(limit)) to answer\(isRetried ? ", all tries and waits included" : "").",
                grounds: [ground(.timeout, of: tier)])
        ]
    }

    /// The longest time of a fetch.
    var whole: [Sentence] {
        let limits = asked.compactMap(limit)
        guard !limits.isEmpty else { return [] }
        let (sum, count) = (limits.reduce(.zero, +), limits.count)
        let waits = groundsOfWaiting
        let wait = waits.isEmpty ? "" : ", and a load of another process is waited for before that"
        let added = count == 1 && waits.isEmpty ? "" : "The time limits of the tiers add up to \(Self.words(sum))\(wait)"
        guard let deadline = plan.policy.deadline else {
            let text = added.isEmpty ? "There is no deadline for the whole fetch." : "\(added); there is no deadline for the whole fetch."
            return [Sentence(text: text, grounds: [ground(.deadline)] + waits)]
        }
        let end = ifError != nil && !askedCaches.isEmpty ? "`deadline_exceeded`, unless a stale copy may be served" : "`deadline_exceeded`"
        var sentences = [
            Sentence(
                text:
                    "The whole fetch gets \(Self.words(deadline)): each tier has what is left of it, and when it is over, the fetch fails "
                    + "with \(end).",
                grounds: [ground(.deadline)])
        ]
        // A wait for another process has no limit but the deadline.
        if sum < deadline, waits.isEmpty {
            let text = added.isEmpty ? "The time limit of the tier is shorter than that." : "\(added), less than that."
            sentences.append(Sentence(text: text, grounds: asked.filter { limit(of: $0) != nil }.map { ground(.timeout, of: $0) }.uniqued))
        }
        return sentences
    }
}

/// The time limit that a source has itself, whatever its tier says.
package struct SourceLimit: Hashable {
    let limit: Duration
    /// The place where it is written; nil for the default of its plugin.
    let range: TextRange?
}

/// The time limits that sources have themselves: what their plugins declare as the duration `timeout`.
package enum SourceLimits {
    package static func of(_ config: EffectiveConfig, plugins: [SourcePlugin]) -> [String: SourceLimit] {
        guard case .mapping(let sources)? = config.root["sources"]?.content else { return [:] }
        var limits: [String: SourceLimit] = [:]
        for source in sources {
            let declarations = plugins.first { $0.name == source.value["type"]?.text }?.declarations ?? []
            guard declarations.contains(where: { $0.name == "timeout" && $0.type == .duration }),
                let value = source.value["timeout"], let limit = value.text.flatMap({ try? Quantity.duration($0) })
            else { continue }
            let ranges = value.origins.compactMap { if case .place(let range, _) = $0 { range } else { nil } }
            limits[source.key] = SourceLimit(limit: limit, range: ranges.first)
        }
        return limits
    }
}
