/// Brings sources and pipelines together, and finds what does not fit.
///
/// What one check has reported, the others pass over: a tier without its source has no further problems.
struct Planner {
    let config: RunnerConfig
    let decoder: FieldDecoder

    private var sources: [String: SourceConfig] {
        Dictionary(config.sources.map { ($0.name, $0) }) { first, _ in first }
    }

    static func plan(_ config: RunnerConfig, with decoder: FieldDecoder) -> Plan {
        let planner = Planner(config: config, decoder: decoder)
        let sources = planner.sources
        let rules = TierRules(sources: sources, decoder: decoder)
        let parameters = ParameterRules(sources: sources, decoder: decoder)
        let pipelines = config.pipelines.map { pipeline in
            rules.check(pipeline)
            parameters.check(pipeline)
            return PipelinePlan(pipeline, tiers: rules.soundTiers(of: pipeline))
        }
        planner.reportUnusedSources()
        return Plan(sources: config.sources, pipelines: pipelines)
    }

    private func reportUnusedSources() {
        guard !config.hasUnsoundPipelines else { return }
        let used = Set(config.pipelines.flatMap { $0.tiers.map(\.source) })
        for source in config.sources where !used.contains(source.name) {
            decoder.report(
                .unusedSource, "no pipeline uses the source `\(source.name)`", range: source.range,
                help: "name it in the `tiers` of a pipeline, or remove it")
        }
    }
}
