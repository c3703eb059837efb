internal import Pipeline

/// What the ttl of a cache and its origin's word about freshness make of each other.
struct FreshnessRules {
    let decoder: FieldDecoder
    /// The sources that were reported: one of very many pipelines is one problem.
    private var reported: Set<ExactName> = []

    init(decoder: FieldDecoder) {
        self.decoder = decoder
    }

    mutating func check(_ pipeline: DeclaredPipeline, _ tiers: KnownTiers) {
        guard pipeline.isSound, tiers.isWhole else { return }
        for (index, origin) in tiers.elements.enumerated()
        where origin.isCache == false && origin.policy.reads && origin.source.isSoundInForm {
            guard let caching = origin.source.notes.first(where: { $0.role == .limitsFreshness }), caching.text != nil else { continue }
            if caching.isNone {
                checkEndless(caching, of: origin, in: pipeline, above: tiers.elements[..<index])
            } else {
                checkLeast(of: origin, in: pipeline, tiers)
            }
        }
    }

    /// A copy without a ttl above an origin of which it is written that its word does not count: nothing ever ends it.
    private mutating func checkEndless(
        _ caching: FieldNote, of origin: KnownTiers.Element, in pipeline: DeclaredPipeline, above: ArraySlice<KnownTiers.Element>
    ) {
        guard let place = caching.place, !above.contains(where: { $0.isCache == false && $0.policy.reads }) else { return }
        // A durable one whose ttl is not written is reported as that.
        let endless = above.first { tier in
            tier.keepsForEver && pipeline.fills(tier.tier) && !(tier.source.isDurable && tier.tier.fieldPlaces.key(.ttl) == nil)
        }
        guard let endless, reported.insert(ExactName(origin.tier.source)).inserted else { return }
        let (name, cache) = (origin.tier.source.shortened, endless.tier.source.shortened)
        decoder.report(
            .uncheckedForever,
            "with `\(caching.name): none` a copy of `\(name)` in `\(cache)` is kept for ever: its tier has no ttl, and what the response says does not count",
            at: place, help: "write `\(caching.name): headers`, or give the tier `\(cache)` a `ttl`",
            related: [Diagnostic.Related("the tier without a ttl", at: endless.tier.fieldPlaces.value(.ttl)?.range ?? endless.tier.range)])
    }

    /// A ttl cuts every copy that `min_freshness` would keep fresh for longer.
    private mutating func checkLeast(of origin: KnownTiers.Element, in pipeline: DeclaredPipeline, _ tiers: KnownTiers) {
        guard let least = origin.source.notes.first(where: { $0.role == .leastFreshness }), let shortest = least.duration,
            let place = least.place
        else { return }
        let cut = tiers.elements.first { tier in
            tier.isWrittenCache && tier.tier.isSound && pipeline.fills(tier.tier) && tier.policy.ttl.map { $0 < shortest } ?? false
        }
        guard let cut, let ttl = cut.policy.ttl, reported.insert(ExactName(origin.tier.source)).inserted else { return }
        let (name, cache) = (origin.tier.source.shortened, cut.tier.source.shortened)
        decoder.report(
            .contradictoryFreshness,
            "`\(least.name)` of `\(name)` is longer than the ttl of `\(cache)`: a copy there is fresh for \(ttl.written ?? "") at most",
            at: place, help: "make it \(ttl.written ?? "") or less, or the ttl longer",
            related: [Diagnostic.Related("the ttl of `\(cache)`", at: cut.tier.fieldPlaces.value(.ttl)?.range ?? cut.tier.range)])
    }
}

/// Policies of a pipeline for copies that expire, or for what a cache remembers, where there is no such thing.
struct WindowRules {
    let decoder: FieldDecoder

    func check(_ pipeline: DeclaredPipeline, _ tiers: KnownTiers) {
        // What a tier that could not be read would say is unknown.
        guard pipeline.isSound, tiers.isSound else { return }
        checkWindows(of: pipeline, tiers.elements)
        checkNotFound(of: pipeline, tiers.elements)
    }

    private func checkWindows(of pipeline: DeclaredPipeline, _ tiers: [KnownTiers.Element]) {
        let expires = tiers.contains { tier in
            tier.source.limitsFreshness || (tier.isReadCache && tier.policy.ttl != nil)
        }
        guard !expires || !tiers.contains(where: \.isReadCache) else { return }
        let name = pipeline.name.shortened
        let reason =
            tiers.contains(where: \.isReadCache)
            ? "no cache of `\(name)` has a `ttl`, and no copy expires" : "no cache of `\(name)` is asked"
        let help = tiers.contains(where: \.isReadCache) ? "give a cache a `ttl`, or remove it" : "add a cache with a `ttl`, or remove it"
        for field in [PipelineField.staleWhileRevalidate, .staleIfError, .refreshAhead] {
            guard let place = pipeline.fieldPlaces.value(field) else { continue }
            decoder.report(.pointlessLimit, "`\(field.rawValue)` has no effect: \(reason)", at: place, help: help)
        }
    }

    private func checkNotFound(of pipeline: DeclaredPipeline, _ tiers: [KnownTiers.Element]) {
        let origins = tiers.filter { $0.isCache == false }
        guard let place = pipeline.fieldPlaces.value(.notFoundTTL), !origins.isEmpty else { return }
        if !tiers.contains(where: { $0.isWrittenCache && $0.source.capabilities?.contains(.keepsNotFound) == true }) {
            decoder.report(
                .pointlessLimit,
                "`not_found_ttl` has no effect: no cache of `\(pipeline.name.shortened)` can remember that there is no value", at: place,
                help: "add a cache that can, such as `memory`, or remove it")
        } else if let origin = origins.first, origins.allSatisfy({ $0.policy.onNotFound != .stop }) {
            decoder.report(
                .pointlessLimit,
                "`not_found_ttl` has no effect: no origin of `\(pipeline.name.shortened)` has its `not_found` taken for the answer",
                at: place, help: "remove it, or `on_not_found` of an origin",
                related: origin.tier.fieldPlaces.value(.onNotFound).map {
                    [Diagnostic.Related("`on_not_found` is set here", at: $0.range)]
                }
                    ?? [])
        }
    }
}
