internal import Pipeline

/// The sources of a configuration by their names, which are compared by their bytes.
struct SourceTable {
    private let indexes: [ExactName: Int]
    /// The sources in the order of the file.
    let all: [SourceConfig]
    /// Their names.
    let names: [String]

    init(_ sources: [SourceConfig]) {
        indexes = Dictionary(sources.enumerated().map { (ExactName($1.name), $0) }) { first, _ in first }
        all = sources
        names = sources.map(\.name)
    }

    /// The source called `name`.
    subscript(name: String) -> SourceConfig? { index(of: name).map { all[$0] } }

    /// The place of the source called `name` in the order of the file.
    func index(of name: String) -> Int? { indexes[ExactName(name)] }
}
