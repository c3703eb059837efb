internal import Pipeline
import PipelineComposing

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
        var undefined: [String] = []
        let feedRules = FeedRules(sources: sources, decoder: decoder)
        let tierRules = TierRules(sources: sources, decoder: decoder)
        let parameterRules = ParameterRules(pipelines: config.pipelines, decoder: decoder)
        var orderRules = OrderRules(lives: PartLives(of: config.pipelines, in: sources), decoder: decoder)
        let limitRules = LimitRules(decoder: decoder)
        let windowRules = WindowRules(decoder: decoder)
        var freshnessRules = FreshnessRules(decoder: decoder)
        var credentialRules = CredentialRules(decoder: decoder)
        let pipelines = config.pipelines.enumerated().map { index, pipeline in
            let tiers = KnownTiers(of: pipeline, in: sources)
            let feeds = KnownFeeds(of: pipeline, in: sources)
            tierRules.check(pipeline, tiers)
            feedRules.check(pipeline, feeds, tiers)
            parameterRules.check(pipeline, tiers, feeds)
            orderRules.check(pipeline, tiers)
            limitRules.check(pipeline, tiers)
            windowRules.check(pipeline, tiers)
            freshnessRules.check(pipeline, tiers)
            credentialRules.check(pipeline, tiers)
            uses.add(tiers, feeds, of: index)
            undefined += tiers.undefined.map(\.source) + feeds.undefined.map(\.source)
            return PipelinePlan(pipeline, tiers: tiers.planned, feeds: feeds.planned)
        }
        CompositeRules(pipelines: config.pipelines, sources: sources, decoder: decoder).check()
        PartRules(pipelines: config.pipelines, sources: sources, decoder: decoder).check()
        var sendPlanner = SendPlanner(pipelines: config.pipelines, sources: sources, decoder: decoder)
        let sends = config.sends.compactMap { sendPlanner.plan($0) }
        uses.add(ofSends: sendPlanner.used)
        undefined += sendPlanner.undefined
        SourceRules(sources: sources, pipelines: config.pipelines, uses: uses, decoder: decoder).check()
        if !config.hasUnknownTiers { reportUnused(sources, uses, besides: undefined + sourcesInParts(sources)) }
        return Plan(sources: config.sources, pipelines: pipelines, sends: sends)
    }

    /// The sources that stand in place of pipelines, which has been reported.
    private func sourcesInParts(_ sources: SourceTable) -> [String] {
        let known = Set(config.pipelines.map { ExactName($0.name) })
        return config.pipelines.flatMap { pipeline in
            (pipeline.combine?.parts.map(\.spec.pipeline) ?? []) + pipeline.links.map(\.spec.pipeline)
        }.filter { sources[$0] != nil && !known.contains(ExactName($0)) }
    }

    /// For so many mistyped names it is looked up what they mean.
    private static let mostMeant = 100

    /// - Parameter undefined: names in tiers, feeds and sends that are those of no source. Each has been reported, and means a source all the same.
    private func reportUnused(_ sources: SourceTable, _ uses: SourceUses, besides undefined: [String]) {
        var mistyped: Set<ExactName> = []
        var meant: Set<ExactName> = []
        for name in undefined where mistyped.count < Self.mostMeant && mistyped.insert(ExactName(name)).inserted {
            if let nearest = decoder.nearest(to: name, among: sources.names).name { meant.insert(ExactName(nearest)) }
            // A text that has names in it means the sources that are called so.
            for word in name.shortened.split(whereSeparator: { !($0.isLetter || $0.isNumber || "_-.".contains($0)) }) {
                meant.insert(ExactName(String(word)))
            }
        }
        // A source with the name of a place in `tiers` cannot be used, which has been reported.
        meant.insert(ExactName(CompositeSpec.placeName))
        for (index, source) in sources.all.enumerated()
        where !uses.isNamed(index) && !meant.contains(ExactName(source.name)) && !decoder.problems.isFull {
            let mayBeSentTo = source.sending?.isWrite == true
            // Of sends that could not be read it is unknown what they use.
            if config.hasUnknownSends, mayBeSentTo || source.keepsSends { continue }
            let users = source.keepsSends ? "send" : mayBeSentTo ? "pipeline and no send" : "pipeline"
            decoder.report(
                .unusedSource, "no \(users) uses the source `\(source.name.shortened)`", at: source.place, help: help(forUnused: source))
        }
    }

    private func help(forUnused source: SourceConfig) -> String {
        if source.keepsSends { return "name it in the `outbox` of a send, or remove it" }
        let place = "name it in the `\(source.tellsOfChanges == true ? "live" : "tiers")` of a pipeline"
        return place + (source.sending?.isWrite == true ? ", or in the `to` of a send" : "") + ", or remove it"
    }
}
