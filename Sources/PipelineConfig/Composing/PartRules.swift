internal import Pipeline
internal import PipelineJSON

/// What parts and links make of times and of calls: each of them can be, and is seldom meant.
struct PartRules {
    private let pipelines: [DeclaredPipeline]
    private let byName: [ExactName: DeclaredPipeline]
    private let sources: SourceTable
    private let decoder: FieldDecoder

    init(pipelines: [DeclaredPipeline], sources: SourceTable, decoder: FieldDecoder) {
        (self.pipelines, self.sources, self.decoder) = (pipelines, sources, decoder)
        byName = Dictionary(pipelines.map { (ExactName($0.name), $0) }) { first, _ in first }
    }

    func check() {
        var lives = PartLives(of: byName, in: sources)
        for pipeline in pipelines where !decoder.problems.isFull {
            guard let combine = pipeline.combine, combine.isSound else { continue }
            for part in combine.parts.prefix(CompositeSpec.mostParts) {
                checkTimeout(of: part, in: pipeline)
                for follow in part.follows { checkCalls(of: follow.path, from: part.spec.pipeline, at: follow.place) }
            }
            checkLife(of: pipeline, combine, &lives)
        }
    }

    /// A part that the whole can do without makes it wait up to the deadline.
    private func checkTimeout(of part: PartConfig, in pipeline: DeclaredPipeline) {
        guard pipeline.isSound, let deadline = pipeline.policy.deadline, part.spec.timeout == nil,
            let place = part.fieldPlaces.key("optional") ?? part.fieldPlaces.key("default"),
            part.spec.isOptional || part.spec.defaultValue != nil
        else { return }
        // What ends by itself before is not waited for.
        if let own = byName[ExactName(part.spec.pipeline)]?.policy.deadline, own < deadline { return }
        let field = place == part.fieldPlaces.key("optional") ? "optional" : "default"
        decoder.report(
            .unlimitedPart,
            "the part of `\(part.spec.pipeline.shortened)` has `\(field)` and no `timeout`: while it is slow, each `\(pipeline.name.shortened)` takes the whole deadline of \(deadline.written ?? "")",
            at: place, help: "add `timeout: \((deadline / 4).written ?? "300ms")` to it",
            related: pipeline.fieldPlaces.value("deadline").map { [Diagnostic.Related("the deadline", at: $0.range)] } ?? [])
    }

    /// Each link of a path asks the origins of its pipeline for every id, unless they take many at once.
    private func checkCalls(of path: LinkPath, from name: String, at place: ConfigPlace) {
        var pipeline = byName[ExactName(name)]
        for name in path.names.prefix(LinkSpec.longestPath) {
            guard let link = pipeline?.links.first(where: { $0.spec.name.utf8.elementsEqual(name.utf8) }),
                let target = byName[ExactName(link.spec.pipeline)]
            else { return }
            for origin in KnownTiers(of: target, in: sources).elements where origin.isCache == false && origin.policy.reads {
                checkCalls(of: origin, through: link, at: place)
            }
            pipeline = target
        }
    }

    private func checkCalls(of origin: KnownTiers.Element, through link: LinkConfig, at place: ConfigPlace) {
        let source = origin.source
        guard source.isSoundInForm, let field = source.declarations.first(where: { $0.role == .batch })?.name,
            !source.notes.contains(where: { $0.role == .batch && $0.isGiven })
        else { return }
        decoder.report(
            .callForEachLink,
            "following `\(link.spec.name.shortened)` asks `\(source.name.shortened)` once for each reference: it has no `\(field)`",
            at: place,
            help: "add `\(field)` to `\(source.name.shortened)`, so that one call asks for many ids",
            related: [
                Diagnostic.Related("the source is declared here", at: source.range), Diagnostic.Related("the link", at: link.range),
            ])
    }

    /// A whole is fresh until the first of its parts is not: a longer ttl is cut.
    private func checkLife(of pipeline: DeclaredPipeline, _ combine: CombineConfig, _ lives: inout PartLives) {
        var shortest: (part: PartConfig, life: PartLives.Life)?
        for part in combine.parts.prefix(CompositeSpec.mostParts) {
            guard let life = lives.life(of: part.spec.pipeline), shortest.map({ life.time < $0.life.time }) ?? true else { continue }
            shortest = (part, life)
        }
        guard let (part, life) = shortest else { return }
        for tier in KnownTiers(of: pipeline, in: sources).elements where tier.isWrittenCache && tier.tier.isSound {
            guard let ttl = tier.policy.ttl.limit, ttl > life.time, let place = tier.tier.fieldPlaces.value("ttl") else { continue }
            let (name, time) = (part.spec.pipeline.shortened, life.time.written ?? "")
            decoder.report(
                .keptPastPart,
                "the ttl of `\(tier.source.name.shortened)` is longer than the part `\(name)` is fresh: a whole is fresh for \(time) at most",
                at: place, help: "write `ttl: \(time)` or less, or keep `\(name)` for longer",
                related: [Diagnostic.Related("the ttl of the part", at: life.range)])
        }
    }
}

/// For how long at most parts are fresh, by what their caches and the parts of these say.
private struct PartLives {
    /// A time, and where it is written.
    struct Life {
        let time: Duration
        let range: TextRange
    }

    private let byName: [ExactName: DeclaredPipeline]
    private let sources: SourceTable
    private var known: [ExactName: Life?] = [:]

    init(of byName: [ExactName: DeclaredPipeline], in sources: SourceTable) {
        (self.byName, self.sources) = (byName, sources)
    }

    /// The longest that a value of the pipeline called `name` is fresh; nil where nothing limits it.
    ///
    /// - Parameter depth: how many composites are left on the way down: a chain has no more, and a circle has been reported.
    mutating func life(of name: String, depth: Int = CompositeSpec.mostInChain) -> Life? {
        if let life = known[ExactName(name)] { return life }
        guard depth > 0, let pipeline = byName[ExactName(name)] else { return nil }
        var lives = [ownLife(of: pipeline)]
        for part in pipeline.combine?.parts.prefix(CompositeSpec.mostParts) ?? [] {
            lives.append(life(of: part.spec.pipeline, depth: depth - 1))
        }
        let shortest = lives.compactMap(\.self).min { $0.time < $1.time }
        known[ExactName(name)] = .some(shortest)
        return shortest
    }

    /// The longest ttl of its caches; nil where one has none, or where there are no caches.
    private func ownLife(of pipeline: DeclaredPipeline) -> Life? {
        let tiers = KnownTiers(of: pipeline, in: sources)
        guard pipeline.isSound, tiers.isSound else { return nil }
        var longest: Life?
        for tier in tiers.elements where tier.isWrittenCache && pipeline.fills(tier.tier) {
            guard let ttl = tier.policy.ttl.limit, let range = tier.tier.fieldPlaces.value("ttl")?.range else { return nil }
            if longest.map({ ttl > $0.time }) ?? true { longest = Life(time: ttl, range: range) }
        }
        return longest
    }
}
