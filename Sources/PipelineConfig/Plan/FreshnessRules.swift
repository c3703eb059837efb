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
            tier.keepsForEver && pipeline.fills(tier.tier) && !(tier.source.isDurable && tier.tier.fieldPlaces.key("ttl") == nil)
        }
        guard let endless, reported.insert(ExactName(origin.tier.source)).inserted else { return }
        let (name, cache) = (origin.tier.source.shortened, endless.tier.source.shortened)
        decoder.report(
            .uncheckedForever,
            "with `\(caching.name): none` a copy of `\(name)` in `\(cache)` is kept for ever: its tier has no ttl, and what the response says does not count",
            at: place, help: "write `\(caching.name): headers`, or give the tier `\(cache)` a `ttl`",
            related: [Diagnostic.Related("the tier without a ttl", at: endless.tier.fieldPlaces.value("ttl")?.range ?? endless.tier.range)])
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
            related: [Diagnostic.Related("the ttl of `\(cache)`", at: cut.tier.fieldPlaces.value("ttl")?.range ?? cut.tier.range)])
    }
}
