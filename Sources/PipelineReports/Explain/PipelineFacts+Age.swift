internal import Pipeline
internal import PipelineConfig

extension PipelineFacts {
    /// The time for which a copy can stay fresh after an origin gave the value.
    enum Life: Hashable, Comparable {
        case limited(Duration)
        case endless
    }

    /// The time for which copies can stay fresh after an origin's answer, for each cache that answers of origins come to, directly or
    /// through other caches.
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
            for cache in targets(of: origin) { _ = raise(cache, to: life(of: cache, from: origin)) }
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

    /// The time for which a copy of an answer of `origin` can stay fresh in `cache`.
    private func life(of cache: TierPlan, from origin: TierPlan) -> Life {
        [cache.policy.ttl, origin.source.freshness?.most].compactMap(\.self).min().map(Life.limited) ?? .endless
    }

    /// The greatest age of a value that is served.
    var ages: [Sentence] {
        guard !askedCaches.isEmpty else {
            // How old a composite can be, its parts say.
            if plan.combine != nil { return [] }
            return askedOrigins.isEmpty
                ? [] : [Sentence(text: "Every fetch loads the value anew: no copy is served.", grounds: asked.map(ground(of:)))]
        }
        let lives = longestLives
        let served = askedCaches.filter { lives[$0.name] != nil }
        guard let longest = served.compactMap({ lives[$0.name] }).max() else { return [] }
        let holders = served.filter { lives[$0.name] == longest && isSource(of: longest, $0) }
        if isWhole { return statedAges + wholeAges(longest, in: holders) }
        switch longest {
        case .endless:
            let limiting = askedOrigins.contains { $0.can(.limitsFreshness) } ? ", unless the origin limits it" : ""
            return statedAges + [
                Sentence(
                    text: "A value can be served as fresh for ever after an origin gave it\(limiting): "
                        + "\(Self.listed(holders.map(\.quoted))) \(holders.count == 1 ? "has" : "have") no ttl.",
                    grounds: holders.map { ground(.ttl, of: $0) }.uniqued)
            ]
        case .limited(let life):
            let grounds = holders.map { groundOfLife(longest, $0) }.uniqued
            let fresh = Sentence(
                text: "A value is served as fresh for at most \(Self.words(life)) after an origin gave or confirmed it.", grounds: grounds)
            return statedAges + [fresh] + staleAges(after: life, since: "after that", grounds)
        }
    }

    func staleAges(after life: Duration, since beginning: String, _ grounds: [Ground]) -> [Sentence] {
        var sentences: [Sentence] = []
        if let window = whileRevalidating {
            sentences.append(
                Sentence(
                    text: "While it is refreshed, it is served stale for at most \(Self.words(life + window)) \(beginning).",
                    grounds: grounds + [ground(.staleWhileRevalidate)]))
        }
        if let window = ifError {
            sentences.append(
                Sentence(
                    text: "While loads fail, it is served stale for at most \(Self.words(life + window)) \(beginning).",
                    grounds: grounds + [ground(.staleIfError)]))
        }
        return sentences
    }

    /// The sentence that the headers of responses do not count, if they could.
    var ignoredAges: [Sentence] {
        guard !longestLives.isEmpty else { return [] }
        return askedOrigins.filter(\.source.ignoresFreshness).map { origin in
            let place = origin.source.written(.limitsFreshness)?.range
            return Sentence(
                text: "No header of a response of \(origin.quoted) changes that: its `caching` is `none`.",
                grounds: [place.map(Ground.place) ?? .byDefault])
        }
    }

    /// The source of the freshness of copies whose origin states it itself.
    private var statedAges: [Sentence] {
        askedOrigins.compactMap { origin in
            guard let freshness = origin.source.freshness else { return nil }
            let least = freshness.least.flatMap { $0 > .zero ? "at least \(Self.words($0))" : nil }
            let bounds = [least, freshness.most.map { "at most \(Self.words($0))" }].compactMap(\.self).joined(separator: " and ")
            let silence =
                switch freshness.fallback {
                case "heuristic": "it is fresh for a tenth of the time since `Last-Modified`"
                case "0s", nil: "it is not fresh"
                case let time?: "it is fresh for \(time)"
                }
            return Sentence(
                text: "The response of \(origin.quoted) says\(freshness.mode == "shared" ? " to a cache of several users" : "") how long a "
                    + "copy is fresh, \(bounds); where it does not, \(silence); the ttl of a tier can only shorten that.",
                grounds: [freshness.range.map(Ground.place) ?? .byDefault])
        }
    }

    /// Indicates whether the cache has that life of its own, and not from another cache.
    private func isSource(of life: Life, _ cache: TierPlan) -> Bool {
        askedOrigins.contains { $0.writesBackTo.contains(cache.name) && self.life(of: cache, from: $0) == life }
    }

    /// The ground of the life of copies in the cache: its ttl, or the bound of an origin.
    func groundOfLife(_ life: Life, _ cache: TierPlan) -> Ground {
        if cache.policy.ttl.map(Life.limited) == life { return ground(.ttl, of: cache) }
        let bound = askedOrigins.first { $0.writesBackTo.contains(cache.name) && self.life(of: cache, from: $0) == life }
        return bound?.source.freshness?.mostRange.map(Ground.place) ?? .byDefault
    }
}
