internal import Pipeline
import PipelineComposing

/// What must hold between the parameters of a pipeline and what uses them: the templates of its sources, its parts and its links.
struct ParameterRules {
    let decoder: FieldDecoder
    private let byName: [ExactName: DeclaredPipeline]

    init(pipelines: [DeclaredPipeline], decoder: FieldDecoder) {
        self.decoder = decoder
        byName = Dictionary(pipelines.map { (ExactName($0.name), $0) }) { first, _ in first }
    }

    /// So many origins are named that do not use a parameter.
    private static let mostOrigins = 4

    func check(_ pipeline: DeclaredPipeline, _ tiers: KnownTiers, _ feeds: KnownFeeds) {
        guard pipeline.hasAllParameters else { return }
        var meant: Set<String> = []
        let declared = Set(pipeline.parameters.lazy.map(\.name))
        for (sources, verb) in [(tiers.elements.map(\.source), "asks"), (feeds.elements.map(\.source), "listens to")] {
            for source in sources where !source.parameterUses.isEmpty && !decoder.problems.isFull {
                meant.formUnion(reportUndeclared(in: source, of: pipeline, verb, declared))
            }
        }
        // What an unknown source would use cannot be known. What a cache is given makes no difference to the value.
        let sources = tiers.elements.map(\.source)
        let given = sources.filter { $0.isWritable != true }
        let origins = given.isEmpty ? sources : given
        guard pipeline.hasAllTiers, tiers.undefined.isEmpty, tiers.valueless.isEmpty,
            !origins.contains(where: { !$0.isComposite && $0.mayUseAllParameters }), let composed = usesOfPartsAndLinks(of: pipeline)
        else { return }
        reportUnused(origins, besides: meant.union(composed), of: pipeline)
    }

    /// The parameters that parts and links of `pipeline` use; nil where that is not certain, as beside an argument that means nothing.
    private func usesOfPartsAndLinks(of pipeline: DeclaredPipeline) -> Set<String>? {
        guard pipeline.hasAllLinks, pipeline.links.allSatisfy(\.isSound), pipeline.combine?.isSound ?? (pipeline.composite == nil) else {
            return nil
        }
        let parts = pipeline.combine?.parts ?? []
        if parts.isEmpty, pipeline.links.isEmpty { return [] }
        var uses: Set<String> = []
        for arguments in pipeline.links.map(\.spec.arguments) + parts.map(\.spec.arguments) {
            for argument in arguments.values { uses.formUnion(argument.parameters) }
        }
        let declared = Set(pipeline.parameters.map(\.name))
        guard uses.isSubset(of: declared) else { return nil }
        for part in parts {
            guard let target = byName[ExactName(part.spec.pipeline)], target.hasAllParameters else { return nil }
            let (given, taken) = (Set(part.spec.arguments.keys), Set(target.parameters.map(\.name)))
            let needed = target.parameters.filter { $0.spec.defaultValue == nil }.map(\.name)
            guard given.isSubset(of: taken), given.union(declared).isSuperset(of: needed) else { return nil }
            // A parameter of the same name passes by itself.
            uses.formUnion(taken.subtracting(given))
        }
        return declared.isSubset(of: uses) || !isMadeOfItself(pipeline) ? uses : nil
    }

    /// Whether it is a part of itself, which has been reported.
    private func isMadeOfItself(_ pipeline: DeclaredPipeline) -> Bool {
        func parts(of pipeline: DeclaredPipeline?) -> Set<String> {
            CompositeCheck.combinedPipelines(pipeline?.combine?.spec) { byName[ExactName($0)]?.links.map(\.spec) ?? [] }
        }
        var open = parts(of: pipeline)
        var seen: Set<String> = []
        while let name = open.popFirst() {
            if name.utf8.elementsEqual(pipeline.name.utf8) { return true }
            if seen.insert(name).inserted { open.formUnion(parts(of: byName[ExactName(name)])) }
        }
        return false
    }

    /// Reports the uses of parameters that are not declared, and gives those that were most likely meant.
    private func reportUndeclared(in source: SourceConfig, of pipeline: DeclaredPipeline, _ verb: String, _ declared: Set<String>)
        -> Set<String>
    {
        let undeclared = source.undeclaredUses(among: declared)
        if undeclared.isEmpty { return [] }
        let names = pipeline.parameters.map(\.name)
        var meant: Set<String> = []
        for use in undeclared where !decoder.problems.isFull {
            let nearest = decoder.reportUndeclared(
                use, of: "pipeline `\(pipeline.name.shortened)`", declaring: names, besides: ["key", "pipeline"],
                related: [Diagnostic.Related("the pipeline that \(verb) this source", at: pipeline.range)])
            meant.formUnion(nearest.map { [$0] } ?? [])
        }
        return meant
    }

    private func reportUnused(_ origins: [SourceConfig], besides meant: Set<String>, of pipeline: DeclaredPipeline) {
        // Mostly there is one: what it uses is not copied.
        let used = origins.dropFirst().reduce(into: origins.first?.parametersInTemplates ?? []) { $0.formUnion($1.parametersInTemplates) }
        let unused = pipeline.parameters.filter { !meant.contains($0.name) && !used.contains($0.name) }
        guard !unused.isEmpty else { return }
        lazy var bindsValues = origins.contains { $0.declarations.contains { $0.type == .query } }
        let isComposed = origins.contains(where: \.isComposite)
        let name = pipeline.name.shortened
        for parameter in unused where !decoder.problems.isFull {
            decoder.report(
                .unusedParameter,
                "no \(isComposed ? "part" : "origin") of the pipeline `\(name)` uses the parameter `\(parameter.name.shortened)`: each value of it gets the same answer",
                at: parameter.place,
                help: isComposed
                    ? "give `{\(parameter.name)}` to a part in its `with`, or remove the parameter"
                    : "put `{\(parameter.name)}`\(bindsValues ? ", in a query `:\(parameter.name)`," : "") where the value belongs, or remove the parameter",
                related: origins.filter { $0.isWritable != true && !$0.isComposite }.prefix(Self.mostOrigins).map {
                    Diagnostic.Related("this origin does not name it", at: $0.range)
                })
        }
    }
}

extension FieldDecoder {
    /// Reports that `use` names no parameter of `owner`, and gives the one that was most likely meant.
    ///
    /// - Parameters:
    ///   - owner: what has the parameters: ``pipeline `friends` ``.
    ///   - others: what else can stand there.
    @discardableResult
    func reportUndeclared(
        _ use: ParameterUse, of owner: String, declaring names: [String], besides others: [String] = [], related: [Diagnostic.Related]
    ) -> String? {
        let nearest = nearest(to: use.parameter, among: names + others).name
        report(
            .undeclaredParameter,
            "\(use.isSecret ? "what stands in braces here" : "`\(use.style.written(use.parameter.shortened))`") is not a parameter of the \(owner)",
            at: use.place,
            help: nearest.map { "did you mean `\(use.style.written($0))`?" }
                ?? (use.isSecret ? "declare it under `parameters`" : nil)
                    ?? "declare it: `parameters: [\((names.prefix(200) + [use.parameter]).joined(separator: ", ").shortened(to: 200))]`",
            related: related)
        return nearest
    }
}

extension SourceConfig {
    /// The uses of parameters that are not `declared`, in the order of the file.
    func undeclaredUses(among declared: Set<String>) -> [ParameterUse] {
        let undeclared = parametersInTemplates.filter { !declared.contains($0) && $0 != "key" && $0 != "pipeline" }
        return undeclared.isEmpty ? [] : parameterUses.filter { undeclared.contains($0.parameter) }
    }
}
