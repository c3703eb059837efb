internal import Pipeline
internal import PipelineConfig

/// How old a whole can be that a cache has, and what it is made from.
extension PipelineFacts {
    /// Whether a value can be a whole.
    var isWhole: Bool { plan.combine != nil && askedOrigins.contains { $0.name == CompositeSpec.placeName } }

    /// How long a whole is fresh, and which of its parts may be older than that.
    ///
    /// - Parameters:
    ///   - kept: how long the caches of its pipeline keep it fresh.
    ///   - holders: the caches that keep it so long.
    func wholeAges(_ kept: Life, in holders: [TierPlan]) -> [Sentence] {
        var lives = UsedLives(plansByName)
        let limit = lives.limit(of: plan)
        let ownGrounds = holders.map { kept == .endless ? ground("ttl", of: $0) : groundOfLife(kept, $0) }.uniqued
        if let limit, .limited(limit.life) < kept {
            return wholeAges(limit.life, [.place(limit.use.range)], &lives) + otherAges(kept, ownGrounds)
        }
        if case .limited(let life) = kept { return wholeAges(life, ownGrounds, &lives) + otherAges(kept, ownGrounds) }
        let names = "\(Self.listed(holders.map(\.quoted))) \(holders.count == 1 ? "has" : "have")"
        return [Sentence(text: "A whole can be served as fresh for ever after it was made: \(names) no ttl.", grounds: ownGrounds)]
    }

    private func wholeAges(_ life: Duration, _ grounds: [Ground], _ lives: inout UsedLives) -> [Sentence] {
        var older: [(text: String, ground: Ground)] = []
        for use in lives.uses(in: plan) {
            guard let age = lives.age(of: use.plan), age > .limited(life) else { continue }
            let bound = if case .limited(let age) = age { "up to \(Self.words(age))" } else { "without a limit" }
            older.append(("\(use.words) \(bound)", .place(use.range)))
        }
        let parts = older.isEmpty ? "" : " Its parts may be older: \(older.map(\.text).joined(separator: ", "))."
        return [
            Sentence(
                text: "A whole is fresh for at most \(Self.words(life)) after it was made.\(parts)",
                grounds: (grounds + older.map(\.ground)).uniqued)
        ] + staleAges(after: life, since: "after it was made", grounds)
    }

    /// How old an answer can be that another origin of the pipeline gives.
    private func otherAges(_ kept: Life, _ grounds: [Ground]) -> [Sentence] {
        let others = askedOrigins.filter { $0.name != CompositeSpec.placeName && !$0.writesBackTo.isEmpty }.map(\.quoted)
        guard !others.isEmpty, case .limited(let life) = kept else { return [] }
        return [
            Sentence(
                text:
                    "A value of \(Self.listed(others, "or")) is served as fresh for at most \(Self.words(life)) after it was given or confirmed.",
                grounds: grounds)
        ]
    }
}
