internal import Pipeline
import PipelineComposing
internal import PipelineJSON

/// What must hold between pipelines that are made from each other, and between links and what they lead to.
///
/// ``CompositeCheck`` has the rules, which hold for pipelines made in Swift, too. Here their places are found.
struct CompositeRules {
    private let pipelines: [DeclaredPipeline]
    private let byName: [ExactName: DeclaredPipeline]
    private let sources: SourceTable
    private let decoder: FieldDecoder

    init(pipelines: [DeclaredPipeline], sources: SourceTable, decoder: FieldDecoder) {
        (self.pipelines, self.sources, self.decoder) = (pipelines, sources, decoder)
        byName = Dictionary(pipelines.map { (ExactName($0.name), $0) }) { first, _ in first }
    }

    func check() {
        guard pipelines.contains(where: { $0.combine != nil || !$0.links.isEmpty }) else { return }
        let check = CompositeCheck(
            pipelines.map {
                CompositeCheck.Subject(
                    $0.name, parameters: $0.parameters.map(\.spec), format: $0.policy.format, combine: $0.combine?.spec,
                    links: $0.links.map(\.spec))
            })
        let findings = check.all
        let unknown = Set(findings.filter { $0.kind == .argument && $0.word != nil }.compactMap(\.owner))
        for finding in findings where !decoder.problems.isFull {
            // An argument of another name most likely is the one that is missing.
            if finding.kind == .argument, finding.word == nil, finding.owner.map(unknown.contains) == true { continue }
            guard let pipeline = byName[ExactName(finding.pipeline)], isCertain(finding, of: pipeline) else { continue }
            report(finding, of: pipeline)
        }
    }

    /// Whether nothing that could not be read would make it right.
    private func isCertain(_ finding: CompositeCheck.Finding, of pipeline: DeclaredPipeline) -> Bool {
        switch finding.kind {
        case .undefinedPipeline: !hasUnreadPipelines || isNear(finding)
        case .argument:
            pipeline.hasAllParameters && target(of: finding.spot, in: pipeline)?.hasAllParameters != false
                && (finding.word != nil || areSoundArguments(at: finding.spot, of: pipeline))
        case .undefinedPart, .bound: pipeline.combine?.isSound != false && hasAllLinks(at: finding.spot, of: pipeline)
        case .cycle, .place, .format: true
        }
    }

    /// Whether all links could be read that a finding can be about: of a path, those of each pipeline on its way.
    private func hasAllLinks(at spot: CompositeCheck.Spot, of pipeline: DeclaredPipeline) -> Bool {
        guard case .follow(let index, let path) = spot, let part = pipeline.combine?.parts[index] else { return pipeline.hasAllLinks }
        var holder = byName[ExactName(part.spec.pipeline)]
        for name in part.follows[path].path.names {
            guard let known = holder else { return true }
            guard known.hasAllLinks else { return false }
            holder = known.links.first { $0.spec.name.utf8.elementsEqual(name.utf8) }.flatMap { byName[ExactName($0.spec.pipeline)] }
        }
        return true
    }

    /// Whether all arguments could be read: one that could not is not missing.
    private func areSoundArguments(at spot: CompositeCheck.Spot, of pipeline: DeclaredPipeline) -> Bool {
        switch spot {
        case .link(let index), .linkArgument(let index, _), .linkArgumentValue(let index, _): pipeline.links[index].isSound
        default: pipeline.combine?.isSound != false
        }
    }

    /// Whether the section has pipelines that could not be read.
    private var hasUnreadPipelines: Bool { (decoder.known.pipelinesSection?.members.count ?? 0) != pipelines.count }

    private func isNear(_ finding: CompositeCheck.Finding) -> Bool {
        guard let word = finding.word else { return true }
        return !(decoder.known.pipelinesSection?.members.contains { $0.key.utf8.elementsEqual(word.text.utf8) } ?? false)
    }

    /// The pipeline that the part or the link at `spot` is of.
    private func target(of spot: CompositeCheck.Spot, in pipeline: DeclaredPipeline) -> DeclaredPipeline? {
        let name: String? =
            switch spot {
            case .combine, .follow: nil
            case .part(let index), .argument(let index, _), .argumentValue(let index, _): pipeline.combine?.parts[index].spec.pipeline
            case .link(let index), .linkArgument(let index, _), .linkArgumentValue(let index, _): pipeline.links[index].spec.pipeline
            }
        return name.flatMap { byName[ExactName($0)] }
    }
}

extension CompositeRules {
    private func report(_ finding: CompositeCheck.Finding, of pipeline: DeclaredPipeline) {
        let place = place(of: finding, in: pipeline)
        let known = finding.knownNames
        lazy var nearest = finding.word.map { decoder.nearest(to: $0.text, among: known) }
        decoder.report(
            finding.code, finding.message, at: place,
            help: (nearest?.name == nil ? adviceForSource(finding) : nil)
                ?? finding.word.flatMap { nearest?.help(among: known, noun: $0.noun) } ?? finding.advice
                ?? advice(for: finding, of: pipeline),
            related: related(to: finding, of: pipeline),
            fix: finding.word.flatMap { word in nearest?.certain.flatMap { fix(word.text, to: $0, at: place.range) } })
    }

    /// What to do where a source stands in place of a pipeline.
    private func adviceForSource(_ finding: CompositeCheck.Finding) -> String? {
        guard finding.kind == .undefinedPipeline, let word = finding.word?.text, let source = sources[word] else { return nil }
        let (name, key) = (word.shortened, word.inFlow.shortened)
        let place = if case .part = finding.spot { "a part is" } else { "a link leads to" }
        guard source.isWritable == false else { return "`\(name)` is a source, and \(place) a pipeline: name one that asks it" }
        return "`\(name)` is a source, and \(place) a pipeline: add `\(key): { tiers: [\(key)] }` under `pipelines`"
    }

    /// What to do about a finding that names no other word.
    private func advice(for finding: CompositeCheck.Finding, of pipeline: DeclaredPipeline) -> String? {
        switch finding.kind {
        case .cycle:
            finding.related.contains { if case .follow = $0.spot { true } else { false } }
                ? "remove one of these parts, or do not follow the link" : "remove one of these parts"
        case .undefinedPipeline: "declare it under `pipelines`"
        case .undefinedPart: "take one of the values from a parameter, or from a part that waits for none"
        case .bound:
            switch finding.spot {
            case .follow: "follow what is further in a part of its own"
            case .combine where pipeline.combine?.parts.isEmpty == true: "name a pipeline"
            default: "combine in fewer steps, or some of it in a pipeline of its own"
            }
        default: nil
        }
    }

    /// The edit that puts `name` in place of `word`, which may be one name of a path, or stand in braces.
    private func fix(_ word: String, to name: String, at range: TextRange) -> TextFix? {
        decoder.renaming(word, at: range, to: name)
    }

    private func related(to finding: CompositeCheck.Finding, of pipeline: DeclaredPipeline) -> [Diagnostic.Related] {
        if !finding.related.isEmpty {
            return finding.related.prefix(Self.mostRelated).compactMap { other in
                byName[ExactName(other.pipeline)].map { Diagnostic.Related(other.message, at: placeOfEdge(other.spot, in: $0).range) }
            }
        }
        if finding.kind == .argument, isOfOwnParameters(finding) {
            let place = pipeline.fieldPlaces.key(.parameters)
            let message = place == nil ? "the pipeline `\(pipeline.name.shortened)` is declared here" : "its parameters"
            return [Diagnostic.Related(message, at: place?.range ?? pipeline.range)]
        }
        // A value that can have no links says all there is.
        if case (.format, .link) = (finding.kind, finding.spot), pipeline.policy.format != .json { return [] }
        guard [.argument, .format].contains(finding.kind), let target = target(of: finding.spot, in: pipeline) else { return [] }
        return [Diagnostic.Related("the pipeline `\(target.name.shortened)` is declared here", at: target.range)]
    }

    /// Where an edge of a cycle stands; a link that is followed, where it is declared.
    private func placeOfEdge(_ spot: CompositeCheck.Spot, in pipeline: DeclaredPipeline) -> ConfigPlace {
        if case .link(let index) = spot { pipeline.links[index].place } else { place(of: spot, in: pipeline) }
    }

    /// Whether what an argument takes is no parameter of the pipeline that has it.
    private func isOfOwnParameters(_ finding: CompositeCheck.Finding) -> Bool {
        switch finding.spot {
        case .argumentValue, .linkArgumentValue: finding.word != nil
        default: false
        }
    }

    /// So many places of a cycle are named.
    private static let mostRelated = 64

    /// Where a finding is shown.
    private func place(of finding: CompositeCheck.Finding, in pipeline: DeclaredPipeline) -> ConfigPlace {
        switch finding.spot {
        case .argumentValue(let index, let name):
            use(of: finding.word?.text, in: argument(name, in: pipeline.combine?.parts[index].arguments))
                ?? place(of: finding.spot, in: pipeline)
        case .linkArgumentValue(let index, let name):
            use(of: finding.word?.text, in: argument(name, in: pipeline.links[index].arguments)) ?? place(of: finding.spot, in: pipeline)
        case .follow(let index, let path):
            name(finding.word?.text, in: pipeline.combine?.parts[index].follows[path]) ?? place(of: finding.spot, in: pipeline)
        case .link(let index):
            switch finding.kind {
            case .place: pipeline.links[index].fieldPlaces.value("at") ?? pipeline.links[index].place
            case .argument:
                (finding.word == nil ? nil : pipeline.links[index].fieldPlaces.value("parameter")) ?? pipeline.links[index].place
            case .bound: pipeline.links[index].place
            case .format where pipeline.policy.format != .json:
                pipeline.links[index].fieldPlaces.value("at") ?? pipeline.links[index].place
            default: place(of: finding.spot, in: pipeline)
            }
        default: place(of: finding.spot, in: pipeline)
        }
    }

    private func place(of spot: CompositeCheck.Spot, in pipeline: DeclaredPipeline) -> ConfigPlace {
        let parts = pipeline.combine?.parts ?? []
        return switch spot {
        case .combine: pipeline.fieldPlaces.key(.combine) ?? pipeline.place
        case .part(let index): parts[index].place
        case .argument(let index, let name): argument(name, in: parts[index].arguments)?.place ?? parts[index].place
        case .argumentValue(let index, let name): argument(name, in: parts[index].arguments)?.value ?? parts[index].place
        case .follow(let index, let path): parts[index].follows[path].place
        case .link(let index): pipeline.links[index].fieldPlaces.value("pipeline") ?? pipeline.links[index].place
        case .linkArgument(let index, let name):
            argument(name, in: pipeline.links[index].arguments)?.place ?? pipeline.links[index].place
        case .linkArgumentValue(let index, let name):
            argument(name, in: pipeline.links[index].arguments)?.value ?? pipeline.links[index].place
        }
    }

    private func argument(_ name: String, in arguments: [ArgumentConfig]?) -> ArgumentConfig? {
        arguments?.last { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Where `follow` has the name `word`; nil where it has it several times.
    private func name(_ word: String?, in follow: FollowConfig?) -> ConfigPlace? {
        guard let word, let follow else { return nil }
        let found = follow.path.names.indices.filter { follow.path.names[$0].utf8.elementsEqual(word.utf8) }
        return found.count == 1 ? follow.names[found[0]] : nil
    }

    /// Where `argument` names the parameter `name`.
    private func use(of name: String?, in argument: ArgumentConfig?) -> ConfigPlace? {
        argument?.uses.first { $0.parameter == name }?.place
    }
}

extension CompositeCheck.Finding {
    /// The part or the link whose arguments it is about.
    fileprivate var owner: String? {
        switch spot {
        case .part(let index), .argument(let index, _): "\(pipeline)/part/\(index)"
        case .link(let index), .linkArgument(let index, _): "\(pipeline)/link/\(index)"
        default: nil
        }
    }

    fileprivate var code: DiagnosticCode {
        switch kind {
        case .undefinedPipeline: .undefinedPipeline
        case .argument: .wrongArgument
        case .cycle: .circularPipelines
        case .undefinedPart: .undefinedPart
        case .bound: .outOfRange
        case .place: .malformed
        case .format: .partOfBytes
        }
    }
}
