internal import Pipeline

/// What must hold between the tiers of a pipeline and the sources they name.
struct TierRules {
    let sources: SourceTable
    let decoder: FieldDecoder

    func check(_ pipeline: DeclaredPipeline, _ tiers: KnownTiers) {
        for tier in tiers.undefined where !decoder.problems.isFull {
            decoder.reportUndefined(tier.source, at: tier.place, among: sources, of: pipeline)
        }
        for (tier, first) in tiers.repeated where !decoder.problems.isFull {
            decoder.report(
                .repeatedSource, "the source `\(tier.source.shortened)` is twice in the pipeline `\(pipeline.name.shortened)`",
                at: tier.place,
                help: "remove one of the two: a pipeline asks each source once",
                related: [Diagnostic.Related("first named here", at: first.tier.range)])
            checkPolicy(of: tier, on: first.source)
        }
        for (tier, index) in tiers.valueless {
            let source = sources.all[index]
            decoder.reportValueless(
                source, at: tier.place,
                help: source.keepsSends
                    ? "remove it: sends are kept in it" : "name it under `live` instead of `tiers`: `\(Self.live(tier, in: pipeline))`")
        }
        for tier in tiers.elements { checkPolicy(of: tier.tier, on: tier.source) }
        if case .routes(let routes) = pipeline.writeBack { check(routes, of: pipeline) }
    }

    /// The feeds of `pipeline` with the source of `tier`.
    private static func live(_ tier: TierConfig, in pipeline: DeclaredPipeline) -> String {
        let names = pipeline.feeds.map(\.source).filter { !$0.utf8.elementsEqual(tier.source.utf8) } + [tier.source]
        return "live: [\(names.map(\.inFlow).joined(separator: ", "))]".shortened(to: 200)
    }

    private typealias Tiers = [ExactName: TierConfig]

    /// The policies of a cache mean nothing for an origin, and the other way round.
    private func checkPolicy(of tier: TierConfig, on source: SourceConfig) {
        guard let isWritable = source.isWritable else { return }
        if isWritable { return checkCachePolicy(of: tier, on: source) }
        for field in TierField.meaningless(forCache: false) {
            guard let place = tier.fieldPlaces.key(field) else { continue }
            decoder.report(
                .unsupportedPolicy, "`\(field.rawValue)` on `\(tier.source.shortened)`, which is an origin and keeps no copies", at: place,
                help: "remove `\(field.rawValue)`, or give it to a cache of this pipeline",
                related: [Diagnostic.Related("the source is declared here", at: source.range)])
        }
    }

    private func checkCachePolicy(of tier: TierConfig, on source: SourceConfig) {
        for field in TierField.meaningless(forCache: true) {
            guard let place = tier.fieldPlaces.key(field) else { continue }
            let readOnly = source.declarations.first { $0.role == .readOnly }?.name
            let name = source.name.shortened
            decoder.report(
                .unsupportedPolicy, "`\(field.rawValue)` on `\(tier.source.shortened)`, which is a cache and holds what others gave",
                at: place,
                help: "remove `\(field.rawValue)`, or give it to an origin of this pipeline"
                    + (readOnly.map { "; `\($0): true` under `\(name)` makes it one" } ?? ""),
                related: [Diagnostic.Related("the source is declared here", at: source.range)])
        }
    }

    private func check(_ routes: [DeclaredWriteBack.Route], of pipeline: DeclaredPipeline) {
        let tiers = Tiers(pipeline.tiers.map { (ExactName($0.source), $0) }) { first, _ in first }
        for route in routes where !decoder.problems.isFull {
            checkMembership(route.from, among: tiers, of: pipeline)
            for target in route.to where checkMembership(target, among: tiers, of: pipeline) {
                checkTarget(target, of: route, tier: tiers[ExactName(target.source)], in: pipeline)
            }
        }
    }

    /// The source that `name` means in `pipeline`.
    private func source(_ name: DeclaredWriteBack.Name, of pipeline: DeclaredPipeline) -> SourceConfig? {
        sources[name.source] ?? pipeline.composite.flatMap { $0.name.utf8.elementsEqual(name.source.utf8) ? $0 : nil }
    }

    @discardableResult
    private func checkMembership(_ name: DeclaredWriteBack.Name, among tiers: Tiers, of pipeline: DeclaredPipeline) -> Bool {
        guard let source = source(name, of: pipeline) else {
            decoder.reportUndefined(name.source, at: name.place, among: sources, of: pipeline)
            return false
        }
        if !source.mayHoldValues {
            decoder.reportValueless(source, at: name.place, help: "name a cache or an origin of this pipeline, or remove it")
            return false
        }
        guard tiers[ExactName(name.source)] != nil else {
            // A tier that could not be read may be the one.
            guard pipeline.hasAllTiers else { return false }
            let tiers = pipeline.tiers.prefix(20).map { "`\($0.source.shortened)`" }.joined(separator: ", ")
            decoder.report(
                .writeBackForeign,
                "`\(name.source.shortened)` in `write_back` is not a tier of the pipeline `\(pipeline.name.shortened)`", at: name.place,
                help: "its tiers are \(tiers)\(pipeline.tiers.count > 20 ? ", …" : "")")
            return false
        }
        return true
    }

    private func checkTarget(
        _ target: DeclaredWriteBack.Name, of route: DeclaredWriteBack.Route, tier: TierConfig?, in pipeline: DeclaredPipeline
    ) {
        guard let source = source(target, of: pipeline), let isWritable = source.isWritable else { return }
        if !isWritable {
            decoder.report(
                .writeBackUnwritable, "`\(target.source.shortened)` cannot be written: it is an origin", at: target.place,
                help: "name a cache of this pipeline, or remove it",
                related: [Diagnostic.Related("the source is declared here", at: source.range)])
        } else if let tier, !tier.policy.writes {
            decoder.report(
                .writeBackUnwritable, "`\(target.source.shortened)` is not written: its tier says `write: false`", at: target.place,
                help: "remove one of the two",
                related: [Diagnostic.Related("`write: false` stands here", at: tier.fieldPlaces.key(.writes)?.range ?? tier.range)])
        } else if target.source.utf8.elementsEqual(route.from.source.utf8) {
            decoder.report(
                .writeBackUnwritable, "`\(target.source.shortened)` is written back to itself", at: target.place, help: "remove it")
        }
    }
}
