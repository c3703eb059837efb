/// What must hold between the tiers of a pipeline and the sources they name.
struct TierRules {
    let sources: [String: SourceConfig]
    let decoder: FieldDecoder

    func check(_ pipeline: PipelineConfig) {
        checkNames(of: pipeline)
        for tier in pipeline.tiers { checkPolicy(of: tier) }
        if case .routes(let routes) = pipeline.policy.writeBack { check(routes, of: pipeline) }
    }

    /// The tiers whose source is known, each once.
    func soundTiers(of pipeline: PipelineConfig) -> [(source: SourceConfig, policy: TierPolicy)] {
        var seen: Set<String> = []
        return pipeline.tiers.compactMap { tier in
            guard let source = sources[tier.source], seen.insert(tier.source).inserted else { return nil }
            return (source, tier.policy)
        }
    }

    private func checkNames(of pipeline: PipelineConfig) {
        var first: [String: TextRange] = [:]
        for tier in pipeline.tiers {
            if sources[tier.source] == nil {
                reportUndefined(tier.source, at: tier.range)
            } else if let range = first[tier.source] {
                decoder.report(
                    .repeatedSource, "the source `\(tier.source)` is twice in the pipeline `\(pipeline.name)`", range: tier.range,
                    help: "remove one of the two: a pipeline asks each source once",
                    related: [Diagnostic.Related("first named here", at: range)])
            } else {
                first[tier.source] = tier.range
            }
        }
    }

    private func reportUndefined(_ name: String, at range: TextRange) {
        decoder.report(
            .undefinedSource, "undefined source `\(name.shortened)`", range: range,
            help: NearestName.help(for: name, among: sources.keys, noun: "sources"))
    }

    /// The policies of a cache mean nothing for an origin.
    private func checkPolicy(of tier: TierConfig) {
        guard let source = sources[tier.source], source.isWritable == false else { return }
        for field in ["ttl", "jitter", "debounce", "max_delay"] {
            guard let range = tier.fieldRanges[field] else { continue }
            decoder.report(
                .unsupportedPolicy, "`\(field)` on `\(tier.source)`, which is an origin and keeps no copies", range: range,
                help: "remove `\(field)`, or give it to a cache of this pipeline",
                related: [Diagnostic.Related("the source is declared here", at: source.range)])
        }
    }

    private func check(_ routes: [WriteBackPolicy.Route], of pipeline: PipelineConfig) {
        for route in routes {
            checkMembership(route.from, of: pipeline)
            for target in route.to where checkMembership(target, of: pipeline) { checkTarget(target, of: route, in: pipeline) }
        }
    }

    @discardableResult
    private func checkMembership(_ name: WriteBackPolicy.Name, of pipeline: PipelineConfig) -> Bool {
        guard sources[name.source] != nil else {
            reportUndefined(name.source, at: name.range)
            return false
        }
        guard pipeline.tiers.contains(where: { $0.source == name.source }) else {
            decoder.report(
                .writeBackForeign, "`\(name.source)` in `write_back` is not a tier of the pipeline `\(pipeline.name)`", range: name.range,
                help: "its tiers are \(pipeline.tiers.map { "`\($0.source)`" }.joined(separator: ", "))")
            return false
        }
        return true
    }

    private func checkTarget(_ target: WriteBackPolicy.Name, of route: WriteBackPolicy.Route, in pipeline: PipelineConfig) {
        guard let source = sources[target.source], let isWritable = source.isWritable else { return }
        if !isWritable {
            decoder.report(
                .writeBackUnwritable, "`\(target.source)` cannot be written: it is an origin", range: target.range,
                related: [Diagnostic.Related("the source is declared here", at: source.range)])
        } else if let tier = pipeline.tiers.first(where: { $0.source == target.source }), !tier.policy.writes {
            decoder.report(
                .writeBackUnwritable, "`\(target.source)` is not to be written: its tier says `write: false`", range: target.range,
                related: [Diagnostic.Related("here", at: tier.fieldRanges["write"] ?? tier.range)])
        } else if target.source == route.from.source {
            decoder.report(
                .writeBackUnwritable, "`\(target.source)` is written back to itself", range: target.range, help: "remove it")
        }
    }
}
