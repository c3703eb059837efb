internal import Pipeline
import PipelineComposing
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
        var lives = PartLives(of: pipelines, in: sources)
        for pipeline in pipelines where !decoder.problems.isFull {
            guard let combine = pipeline.combine, combine.isSound else { continue }
            let limits = limits(of: pipeline)
            for part in combine.parts.prefix(CompositeSpec.mostParts) {
                checkTimeout(of: part, in: pipeline, limits)
                for follow in part.follows { checkCalls(of: follow.path, from: part.spec.pipeline, at: follow.place) }
            }
            checkPlaces(in: combine)
            checkWords(in: combine, of: pipeline)
            checkLife(of: pipeline, combine, &lives)
        }
    }

    /// A text that looks like a place in another part is sent as it is.
    private func checkPlaces(in combine: CombineConfig) {
        guard case .object(let members) = combine.spec.shape else { return }
        for argument in combine.parts.prefix(CompositeSpec.mostParts).flatMap(\.arguments) {
            for lookalike in argument.lookalikes where members.contains(where: { $0.name.utf8.elementsEqual(lookalike.name.utf8) }) {
                let place = "{ from: \(lookalike.name.inFlow), at: \(lookalike.place.description.inFlow) }"
                decoder.report(
                    .lookalike, "`{\(lookalike.text.shortened)}` is plain text: a place in another part is written with `from` and `at`",
                    at: argument.value, help: "write `\(argument.name.inFlow): \(place)`")
            }
        }
    }

    /// The name of a parameter without braces is text like any other.
    private func checkWords(in combine: CombineConfig, of pipeline: DeclaredPipeline) {
        for argument in combine.parts.prefix(CompositeSpec.mostParts).flatMap(\.arguments) {
            guard case .text(let segments) = argument.argument.value, segments.count == 1, case .text(let word)? = segments.first,
                pipeline.parameters.contains(where: { $0.name.utf8.elementsEqual(word.utf8) })
            else { continue }
            decoder.report(
                .lookalike, "`\(word.shortened)` is plain text, and a parameter has that name", at: argument.value,
                help: "write `\(argument.name.inFlow): \"{\(word)}\"` for its value")
        }
    }

    /// A time after which a part has none left.
    private struct Limit {
        let time: Duration
        let name: String
        /// Where it is written; nil for one that holds unless another is given.
        let place: ConfigPlace?
        /// Why a longer one has no effect.
        let reason: String
    }

    /// The deadline of `pipeline` and the time limit of its composite, which hold for all parts together.
    private func limits(of pipeline: DeclaredPipeline) -> [Limit] {
        guard pipeline.isSound else { return [] }
        return [
            deadline(of: pipeline, reason: "the deadline of the pipeline ends the fetch first"),
            pipeline.tiers.first { $0.isComposite && $0.isSound }.map { tier in
                let (time, place) = (tier.policy.timeLimit, tier.fieldPlaces.value(.timeout))
                let composite = "`\(CompositeSpec.placeName)`"
                let reason =
                    place == nil
                    ? "a tier has \(time.written ?? "") unless it says more, and \(composite) ends first"
                    : "the timeout of \(composite) ends it first"
                return Limit(time: time, name: "timeout", place: place, reason: reason)
            },
        ].compactMap(\.self)
    }

    private func deadline(of pipeline: DeclaredPipeline, reason: String) -> Limit? {
        guard pipeline.isSound, let deadline = pipeline.policy.deadline else { return nil }
        return Limit(time: deadline, name: "deadline", place: pipeline.fieldPlaces.value(.deadline), reason: reason)
    }

    private func checkTimeout(of part: PartConfig, in pipeline: DeclaredPipeline, _ limits: [Limit]) {
        if let timeout = part.spec.timeout {
            checkEffect(of: timeout, of: part, limits)
        } else if let limit = limits.filter({ $0.place != nil }).min(by: { $0.time < $1.time }) {
            checkUnlimited(part, in: pipeline, limit)
        }
    }

    /// A time of a part that another limit never lets pass.
    private func checkEffect(of timeout: Duration, of part: PartConfig, _ limits: [Limit]) {
        let name = part.spec.pipeline.shortened
        let own = byName[ExactName(part.spec.pipeline)].flatMap { deadline(of: $0, reason: "the deadline of `\(name)` ends it first") }
        guard let place = part.fieldPlaces.value("timeout"),
            let first = (limits + [own].compactMap(\.self)).min(by: { $0.time < $1.time }), first.time <= timeout
        else { return }
        decoder.report(
            .pointlessLimit, "`timeout` of the part `\(name)` has no effect: \(first.reason)", at: place,
            help: "make it shorter than \(first.time.written ?? ""), or remove it",
            related: first.place.map { [Diagnostic.Related("the \(first.name)", at: $0.range)] } ?? [])
    }

    /// A part that the whole can do without makes it wait up to the limit.
    private func checkUnlimited(_ part: PartConfig, in pipeline: DeclaredPipeline, _ limit: Limit) {
        guard let place = part.fieldPlaces.key("optional") ?? part.fieldPlaces.key("default"),
            part.spec.isOptional || part.spec.defaultValue != nil
        else { return }
        // What ends by itself before is not waited for.
        if let own = byName[ExactName(part.spec.pipeline)]?.policy.deadline, own < limit.time { return }
        let field = place == part.fieldPlaces.key("optional") ? "optional" : "default"
        decoder.report(
            .unlimitedPart,
            "the part of `\(part.spec.pipeline.shortened)` has `\(field)` and no `timeout`: while it is slow, each `\(pipeline.name.shortened)` takes the whole \(limit.name) of \(limit.time.written ?? "")",
            at: place, help: "add `timeout: \((limit.time / 4).written ?? "300ms")` to it",
            related: limit.place.map { [Diagnostic.Related("the \(limit.name)", at: $0.range)] } ?? [])
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
        guard source.isSoundInForm else { return }
        let (name, following) = (source.name.shortened, "following `\(link.spec.name.shortened)`")
        let message: String
        let help: String
        if let field = source.declarations.first(where: { $0.role == .batch })?.name {
            guard !source.notes.contains(where: { $0.role == .batch && $0.isGiven }) else { return }
            message = "\(following) asks `\(name)` once for each reference: it has no `\(field)`"
            help = "add `\(field)` to `\(name)`, so that one call asks for many ids"
        } else if source.declarations.contains(where: { $0.role == .program }) {
            let type = source.type ?? ""
            message = "\(following) runs the program of `\(name)` once for each reference: the source type `\(type)` cannot batch"
            help = "load the values from a source with `batch`, or allow the warning where few references are followed"
        } else {
            // What else has no such field reads what is at hand, or says nothing of its calls here.
            return
        }
        decoder.report(
            .callForEachLink, message, at: place, help: help,
            related: [
                Diagnostic.Related("the source is declared here", at: source.range), Diagnostic.Related("the link", at: link.range),
            ])
    }

    /// A whole is fresh until the first of its parts is not: a longer ttl is cut.
    private func checkLife(of pipeline: DeclaredPipeline, _ combine: CombineConfig, _ lives: inout PartLives) {
        guard let limit = lives.limit(of: combine) else { return }
        let (name, time) = (limit.use.name.shortened, limit.life.time.written ?? "")
        let holder =
            limit.use.step.map { "`\(name)` is fresh, which the link `\($0.name.shortened)` leads to" } ?? "the part `\(name)` is fresh"
        for tier in KnownTiers(of: pipeline, in: sources).elements where tier.isWrittenCache && tier.tier.isSound {
            guard let ttl = tier.policy.ttl, ttl > limit.life.time, let place = tier.tier.fieldPlaces.value(.ttl) else { continue }
            decoder.report(
                .keptPastPart,
                "the ttl of `\(tier.source.name.shortened)` is longer than \(holder): a whole is fresh for \(time) at most",
                at: place, help: "write `ttl: \(time)` or less, or keep `\(name)` for longer", related: related(to: limit))
        }
    }

    /// The ttl that limits a whole, and the link that leads to it.
    private func related(to limit: PartLives.Limit) -> [Diagnostic.Related] {
        guard let step = limit.use.step else { return [Diagnostic.Related("the ttl of the part", at: limit.life.range)] }
        let follow = limit.part.follows[step.path]
        return [
            Diagnostic.Related("the ttl of `\(limit.use.name.shortened)`", at: limit.life.range),
            Diagnostic.Related("the link is followed here", at: follow.names[step.position].range),
        ]
    }
}
