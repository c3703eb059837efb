internal import Pipeline
internal import PipelineConfig

extension PipelineFacts {
    /// How long a copy can stay fresh after an origin gave the value.
    enum Life: Hashable, Comparable {
        case limited(Duration)
        case endless
    }

    /// For each cache that answers of origins come to, directly or through other caches, how long its copies can stay fresh after the
    /// origin's answer.
    ///
    /// What an origin gives is fresh for the cache's ttl. What another cache gives is fresh at most as long as the copy there: however
    /// late it is copied, it cannot outlive it. So a cache's life is the longest of those that it is filled from.
    var longestLives: [String: Life] {
        var lives: [String: Life] = [:]
        func raise(_ cache: TierPlan, to life: Life) -> Bool {
            guard !cache.keepsNothing, lives[cache.name].map({ $0 < life }) ?? true else { return false }
            lives[cache.name] = life
            return true
        }
        for origin in askedOrigins {
            for cache in targets(of: origin) { _ = raise(cache, to: cache.policy.ttl.limit.map(Life.limited) ?? .endless) }
        }
        var isSettled = false
        while !isSettled {
            isSettled = true
            for tier in askedCaches {
                guard let life = lives[tier.name] else { continue }
                for cache in targets(of: tier) where raise(cache, to: life) { isSettled = false }
            }
        }
        return lives
    }

    /// How old a value can be that is served.
    var ages: [Sentence] {
        guard !askedCaches.isEmpty else {
            return askedOrigins.isEmpty
                ? [] : [Sentence(text: "Every fetch loads the value anew: no copy is served.", grounds: asked.map(ground(of:)))]
        }
        let lives = longestLives
        let served = askedCaches.filter { lives[$0.name] != nil }
        guard let longest = served.compactMap({ lives[$0.name] }).max() else { return [] }
        let holders = served.filter { lives[$0.name] == longest && isSource(of: longest, $0) }
        switch longest {
        case .endless:
            let limiting = askedOrigins.contains { $0.can(.limitsFreshness) } ? ", unless the origin limits it" : ""
            return [
                Sentence(
                    text: "A value can be served as fresh for ever after an origin gave it\(limiting): "
                        + "\(Self.listed(holders.map(\.quoted))) \(holders.count == 1 ? "has" : "have") no ttl.",
                    grounds: holders.map { ground("ttl", of: $0) }.uniqued)
            ]
        case .limited(let life):
            let grounds = holders.map { ground("ttl", of: $0) }.uniqued
            let fresh = Sentence(
                text: "A value is served as fresh for at most \(Self.words(life)) after an origin gave or confirmed it.", grounds: grounds)
            return [fresh] + staleAges(after: life, grounds)
        }
    }

    private func staleAges(after life: Duration, _ grounds: [Ground]) -> [Sentence] {
        var sentences: [Sentence] = []
        if let window = whileRevalidating {
            sentences.append(
                Sentence(
                    text: "While it is refreshed, it is served stale for at most \(Self.words(life + window)) after that.",
                    grounds: grounds + [ground("stale_while_revalidate")]))
        }
        if let window = ifError {
            sentences.append(
                Sentence(
                    text: "While loads fail, it is served stale for at most \(Self.words(life + window)) after that.",
                    grounds: grounds + [ground("stale_if_error")]))
        }
        return sentences
    }

    /// Whether the cache has that life by its own ttl, and not from another cache.
    private func isSource(of life: Life, _ cache: TierPlan) -> Bool {
        (cache.policy.ttl.limit.map(Life.limited) ?? .endless) == life
            && askedOrigins.contains { $0.writesBackTo.contains(cache.name) }
    }
}
