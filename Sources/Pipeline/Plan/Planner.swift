/// Brings sources and pipelines together, and finds what does not fit.
///
/// What one check has reported, the others pass over: a tier without its source has no further problems.
struct Planner {
    let config: RunnerConfig
    let decoder: FieldDecoder

    static func plan(_ config: RunnerConfig, with decoder: FieldDecoder) -> Plan {
        Planner(config: config, decoder: decoder).plan()
    }

    private func plan() -> Plan {
        let sources = SourceTable(config.sources)
        var uses = SourceUses(of: sources)
        let rules = TierRules(sources: sources, decoder: decoder)
        let parameters = ParameterRules(sources: sources, decoder: decoder)
        let pipelines = config.pipelines.enumerated().map { index, pipeline in
            rules.check(pipeline)
            parameters.check(pipeline)
            let tiers = KnownTiers(of: pipeline, in: sources)
            OrderRules(decoder: decoder).check(pipeline, tiers)
            LimitRules(decoder: decoder).check(pipeline, tiers)
            WindowRules(decoder: decoder).check(pipeline, tiers)
            uses.add(tiers, of: index)
            return PipelinePlan(pipeline, tiers: tiers.planned)
        }
        SourceRules(sources: sources, pipelines: config.pipelines, uses: uses, decoder: decoder).check()
        reportUnusedSources(sources)
        return Plan(sources: config.sources, pipelines: pipelines)
    }

    /// For so many mistyped names it is looked up what they mean.
    private static let mostMeant = 100

    private func reportUnusedSources(_ sources: SourceTable) {
        guard !config.hasUnknownTiers else { return }
        var used: Set<ExactName> = []
        var undefined: [String] = []
        for pipeline in config.pipelines {
            for tier in pipeline.tiers where used.insert(ExactName(tier.source)).inserted && sources[tier.source] == nil {
                undefined.append(tier.source)
            }
        }
        // A mistyped name has been reported, and means a source all the same.
        used.formUnion(undefined.prefix(Self.mostMeant).compactMap(sources.nearest).map(ExactName.init))
        for source in config.sources where !used.contains(ExactName(source.name)) {
            decoder.report(
                .unusedSource, "no pipeline uses the source `\(source.name.shortened)`", at: source.place,
                help: "name it in the `tiers` of a pipeline, or remove it")
        }
    }
}
