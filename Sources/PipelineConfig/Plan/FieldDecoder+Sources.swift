internal import Pipeline

extension FieldDecoder {
    /// Reports that there is no source called `name`, which stands at `place`.
    func reportUndefined(_ name: String, at place: ConfigPlace, among sources: SourceTable) {
        if name.utf8.elementsEqual(CompositeSpec.placeName.utf8) {
            return report(
                .undefinedSource, "undefined source `\(name)`: it is the place of what `combine` makes, and this pipeline combines nothing",
                at: place, help: "add `combine:` to the pipeline, or remove it")
        }
        lazy var nearest = nearest(to: name, among: sources.names)
        report(
            .undefinedSource, "undefined source `\(name.shortened)`", at: place,
            help: nearest.help(among: sources.names, noun: "sources") ?? "declare it: `sources: { \(name.shortened): { type: … } }`",
            fix: nearest.certain.flatMap { renaming(name, at: place.range, to: $0) })
    }

    /// Reports that `source`, which is named at `place` as if it had values, only tells of changes.
    func reportValueless(_ source: SourceConfig, at place: ConfigPlace, help: String) {
        report(
            .misplacedSource, "`\(source.name.shortened)` holds no values: it tells of changes", at: place, help: help,
            related: [Diagnostic.Related("the source is declared here", at: source.range)])
    }
}
