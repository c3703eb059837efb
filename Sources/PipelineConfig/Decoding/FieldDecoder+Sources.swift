internal import Pipeline
import PipelineComposing

extension FieldDecoder {
    /// Reports that there is no source called `name`, which stands at `place`.
    ///
    /// - Parameters:
    ///   - pipeline: the pipeline whose order it is; nil where no composite can be meant.
    ///   - owner: what names it.
    func reportUndefined(
        _ name: String, at place: ConfigPlace, among sources: SourceTable, of pipeline: DeclaredPipeline? = nil, by owner: String = "a tier"
    ) {
        if name.utf8.elementsEqual(CompositeSpec.placeName.utf8) {
            if pipeline?.hasMistypedCombine == true { return }
            return report(
                .undefinedSource, "undefined source `\(name)`: it is the place of what `combine` makes, and this pipeline combines nothing",
                at: place, help: "add `combine:` to the pipeline, or remove it")
        }
        if known.lacksSources { return }
        let known = (pipeline?.composite == nil ? [] : [CompositeSpec.placeName]) + sources.names
        lazy var nearest = nearest(to: name, among: known)
        report(
            .undefinedSource, "undefined source `\(name.shortened)`", at: place,
            help: helpForText(name, among: sources.names, by: owner)
                ?? (nearest.name == nil && self.known.types.contains { $0.name == name }
                    ? "declare it under `sources`: `\(name): { type: \(name) }`" : nil) ?? nearest.help(among: known, noun: "sources")
                    ?? "declare it: `sources: { \(name.shortened): { type: … } }`",
            fix: nearest.certain.flatMap { renaming(name, at: place.range, to: $0) })
    }

    /// What is meant by a text that has more in it than the name of a source.
    private func helpForText(_ text: String, among known: [String], by owner: String) -> String? {
        if let meant = MeantTier(text, sources: known) {
            return meant.names.count > 1
                ? "each is an element of its own: \(meant.names.map { "`\($0.inFlow.shortened)`" }.joined(separator: ", "))"
                : "write `\(meant.written())`"
        }
        if let hash = text.firstIndex(of: "#"), known.contains(String(text[..<hash])) {
            return "put a space before the `#` that begins a comment: `\(text[..<hash]) \(String(text[hash...]).shortened)`"
        }
        guard text.contains("://") else { return nil }
        return
            "\(owner) names a source: declare `NAME: { type: http, url: \(text.inFlow.shortened) }` under `sources`, and write `NAME` here"
    }

    /// Reports that `source`, which is named at `place` as if it had values, only reports changes, or keeps sends.
    func reportValueless(_ source: SourceConfig, at place: ConfigPlace, help: String) {
        report(
            .misplacedSource, "`\(source.name.shortened)` holds no values: it \(source.otherPurpose)", at: place, help: help,
            related: [Diagnostic.Related("the source is declared here", at: source.range)])
    }

    /// Tiers as the pipeline `name` may have them, of sources that there are: `[memory, api]`.
    func sampleTiers(for name: String) -> String {
        let (cache, origin) = (known.samples.cache, known.samples.names.contains(ExactName(name)) ? name : known.samples.origin)
        let names = [cache, origin].compactMap(\.self).map(\.inFlow.shortened)
        return names.isEmpty ? "[SOURCE]" : "[\(names.joined(separator: ", "))]"
    }
}
