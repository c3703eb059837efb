internal import Pipeline

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
        for field in ["stale_while_revalidate", "stale_if_error", "refresh_ahead"] {
            guard let place = pipeline.fieldPlaces.value(field) else { continue }
            decoder.report(.pointlessLimit, "`\(field)` has no effect: \(reason)", at: place, help: help)
        }
    }

    private func checkNotFound(of pipeline: DeclaredPipeline, _ tiers: [KnownTiers.Element]) {
        let origins = tiers.filter { $0.isCache == false }
        guard let place = pipeline.fieldPlaces.value("not_found_ttl"), !origins.isEmpty else { return }
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
                related: origin.tier.fieldPlaces.value("on_not_found").map {
                    [Diagnostic.Related("`on_not_found` is set here", at: $0.range)]
                }
                    ?? [])
        }
    }
}
