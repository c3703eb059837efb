/// Policies of a pipeline for copies that expire, or for what a cache remembers, where there is no such thing.
struct WindowRules {
    let decoder: FieldDecoder

    func check(_ pipeline: PipelineConfig, _ tiers: KnownTiers) {
        // What one tier that could not be read would say, nobody can tell.
        guard pipeline.isSound, tiers.isSound else { return }
        checkWindows(of: pipeline, tiers.elements)
        checkNotFound(of: pipeline, tiers.elements)
    }

    private func checkWindows(of pipeline: PipelineConfig, _ tiers: [KnownTiers.Element]) {
        let expires = tiers.contains { tier in
            tier.source.capabilities?.contains(.limitsFreshness) == true || (tier.isReadCache && tier.policy.ttl.limit != nil)
        }
        guard !expires || !tiers.contains(where: \.isReadCache) else { return }
        let name = pipeline.name.shortened
        let reason =
            tiers.contains(where: \.isReadCache)
            ? "no cache of `\(name)` has a `ttl`, and no copy expires" : "no cache of `\(name)` is asked"
        let help = tiers.contains(where: \.isReadCache) ? "give a cache a `ttl`, or remove it" : "add a cache with a `ttl`, or remove it"
        for field in ["stale_while_revalidate", "stale_if_error", "refresh_ahead"] {
            guard let place = pipeline.fieldPlaces.value(field) else { continue }
            decoder.report(.pointlessLimit, "`\(field)` never matters: \(reason)", at: place, help: help)
        }
    }

    private func checkNotFound(of pipeline: PipelineConfig, _ tiers: [KnownTiers.Element]) {
        guard let place = pipeline.fieldPlaces.value("not_found_ttl"), tiers.contains(where: { $0.isCache == false }),
            !tiers.contains(where: { $0.isWrittenCache && $0.source.capabilities?.contains(.keepsNotFound) == true })
        else { return }
        decoder.report(
            .pointlessLimit,
            "`not_found_ttl` never matters: no cache of `\(pipeline.name.shortened)` can remember that there is no value", at: place,
            help: "add a cache that can, such as `memory`, or remove it")
    }
}
