internal import Pipeline
import PipelineComposing
package import PipelineConfig
internal import PipelineScenarios
package import PipelineYAML

/// The behaviour of the sources of a configuration in a simulation: the file `NAME.sim.yaml`, or the file that `--model` names.
package struct SimulationModel: Sendable {
    /// The sources by their names. One that is left out takes no time and does not fail.
    package var sources: [String: SourceModel] = [:]

    /// A model in which no source takes time.
    package init() {}

    /// The model in `file`, and its problems; nil with an error.
    ///
    /// - Parameters:
    ///   - known: the names of the configuration's sources; nil if no configuration is known.
    ///   - sources: these sources, for warnings of what has no effect on them.
    package static func read(
        _ file: ConfigFile, known: [String]?, sources: [SourceConfig] = []
    ) -> (model: SimulationModel?, diagnostics: [Diagnostic]) {
        let (root, syntax, _) = file.document()
        let decoder = FieldDecoder(file: file.name, folder: file.folder, environment: .process)
        var model = SimulationModel()
        let names = known.map { Set($0.map { ExactName($0) }) }
        let configs = Dictionary(sources.map { (ExactName($0.name), $0) }) { first, _ in first }
        if !syntax.hasErrors, let root, !root.isNull, let document = ModelDocument.decode(root, with: decoder) {
            for member in document.sources.members {
                if let known, names?.contains(ExactName(member.name)) == false {
                    decoder.report(
                        .undefinedSource, "undefined source `\(member.name.shortened)`", range: member.range,
                        help: decoder.nearest(to: member.name, among: known).help(among: known, noun: "sources"))
                }
                var source = member.value
                source.takes = source.takes.reading(of: member.name, with: decoder) ?? .zero
                if let pointless = configs[ExactName(member.name)].flatMap({ source.pointless(for: $0) }) {
                    let words = pointless.fields.map { "`\($0)`" }.joined(separator: ", ")
                    decoder.report(
                        .pointlessLimit,
                        "\(words) of `\(member.name.shortened)` \(pointless.fields.count == 1 ? "has" : "have") no effect: \(pointless.reason)",
                        range: member.range, help: "remove \(pointless.fields.count == 1 ? "it" : "them")")
                }
                model.sources[member.name] = source
            }
        }
        let diagnostics = (syntax + decoder.problems.diagnostics).inReadingOrder()
        return (diagnostics.hasErrors ? nil : model, diagnostics)
    }

    /// The path of the configuration that a model stands beside: `pipeline.yaml` for `pipeline.sim.yaml`; nil for a name of another form.
    package static func configPath(of name: String) -> String? {
        for format in [".yaml", ".yml"] where name.hasSuffix(".sim" + format) { return String(name.dropLast(4 + format.count)) + format }
        return nil
    }

    /// Indicates whether a file of this name is a model.
    package static func isModelFile(_ name: String) -> Bool { configPath(of: name) != nil }

    /// The problems of the model in `file`, checked against the configuration beside it if there is one.
    package static func check(_ file: ConfigFile, plugins: [SourcePlugin]) -> [Diagnostic] {
        let config = configPath(of: file.name).map { ConfigFile(path: $0) }
        let report = config.flatMap { $0.isReadable ? $0.report(plugins: plugins) : nil }
        return read(file, known: report?.plan.simulatedSources, sources: report?.plan.sources ?? []).diagnostics
    }

    /// The path of the model beside a configuration: `pipeline.sim.yaml` for `pipeline.yaml`.
    package static func path(besides config: String) -> String {
        for format in [".yaml", ".yml"] where config.hasSuffix(format) { return String(config.dropLast(format.count)) + ".sim" + format }
        return config + ".sim.yaml"
    }

    /// The warnings about windows that no request is in: that begin after the last one, or last no time.
    package func warnings(for duration: Duration) -> [String] {
        sources.sorted { $0.key < $1.key }.flatMap { name, source in
            [("down", source.down), ("slow", source.slow), ("hangs", source.hangs)].flatMap { word, windows in
                windows.compactMap { window in
                    if window.lasting == .zero { return "the window `\(word)` of `\(name)` lasts no time" }
                    guard window.from > duration else { return nil }
                    return
                        "the window `\(word)` of `\(name)` begins at \(window.from.spelling), after the last request, at \(duration.spelling)"
                }
            }
        }
    }
}

extension Plan {
    /// The names that a model can have: the sources, and the place of a composite, which is played as one origin.
    package var simulatedSources: [String] {
        sources.map(\.name) + (pipelines.contains { $0.combine != nil } ? [CompositeSpec.placeName] : [])
    }
}

private struct ModelDocument: FieldObject {
    let sources: NamedValues<SourceModel>

    static let noun = "the model"

    static let fields = FieldGroup(
        Field("version", default: 1, range: 1...1, "The version of the format."),
        Field("sources", default: NamedValues<SourceModel>(), "What each source does.", example: "{ api: { takes: 20ms } }")
    ) { ModelDocument(sources: $1) }
}
