/// Brings sources and pipelines together, and finds what does not fit.
///
/// What one check has reported, the others pass over: a tier without its source has no further problems.
struct Planner {
    let config: RunnerConfig
    let decoder: FieldDecoder

    static func plan(_ config: RunnerConfig, with decoder: FieldDecoder) -> Plan {
        let planner = Planner(config: config, decoder: decoder)
        let sources = SourceTable(config.sources)
        let rules = TierRules(sources: sources, decoder: decoder)
        let parameters = ParameterRules(sources: sources, decoder: decoder)
        let pipelines = config.pipelines.map { pipeline in
            rules.check(pipeline)
            parameters.check(pipeline)
            return PipelinePlan(pipeline, tiers: rules.soundTiers(of: pipeline))
        }
        planner.reportUnusedSources(sources)
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
