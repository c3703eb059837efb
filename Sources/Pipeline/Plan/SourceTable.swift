/// The sources of a configuration by their names, which are compared by their bytes.
struct SourceTable {
    private let sources: [ExactName: SourceConfig]
    /// The names in the order of the file.
    let names: [String]

    init(_ sources: [SourceConfig]) {
        self.sources = Dictionary(sources.map { (ExactName($0.name), $0) }) { first, _ in first }
        names = sources.map(\.name)
    }

    /// The source called `name`.
    subscript(name: String) -> SourceConfig? { sources[ExactName(name)] }

    /// The source that somebody who wrote `name` most likely meant.
    func nearest(to name: String) -> String? {
        NearestName.find(name, among: names)
    }
}
