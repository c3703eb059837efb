/// What must hold between the parameters of a pipeline and the templates of its sources.
struct ParameterRules {
    let sources: [String: SourceConfig]
    let decoder: FieldDecoder

    func check(_ pipeline: PipelineConfig) {
        let tiers = pipeline.tiers.compactMap { sources[$0.source] }
        for source in tiers { reportUndeclared(in: source, of: pipeline) }
        // What a source that is not known would use, nobody can tell.
        if tiers.count == pipeline.tiers.count, !tiers.contains(where: mayUseAll) { reportUnused(tiers, of: pipeline) }
    }

    private func reportUndeclared(in source: SourceConfig, of pipeline: PipelineConfig) {
        let declared = pipeline.parameters.map(\.name)
        for use in source.parameterUses where !declared.contains(use.parameter) && !["key", "pipeline"].contains(use.parameter) {
            decoder.report(
                .undeclaredParameter, "`{\(use.parameter)}` is not a parameter of the pipeline `\(pipeline.name)`", range: use.range,
                help: NearestName.find(use.parameter, among: declared + ["key", "pipeline"]).map { "did you mean `{\($0)}`?" }
                    ?? "declare it: `parameters: [\((declared + [use.parameter]).joined(separator: ", "))]`",
                related: [Diagnostic.Related("the pipeline that asks this source", at: pipeline.range)])
        }
    }

    private func mayUseAll(_ source: SourceConfig) -> Bool {
        source.making == nil || source.parameterUses.contains { $0.parameter == "key" }
            || (source.isWritable == false && !source.declaresTemplates)
    }

    private func reportUnused(_ tiers: [SourceConfig], of pipeline: PipelineConfig) {
        let used = Set(tiers.flatMap { $0.parameterUses.map(\.parameter) })
        for parameter in pipeline.parameters where !used.contains(parameter.name) {
            decoder.report(
                .unusedParameter, "no source of the pipeline `\(pipeline.name)` uses the parameter `\(parameter.name)`",
                range: parameter.range, help: "put `{\(parameter.name)}` where the value belongs, or remove the parameter")
        }
    }
}
