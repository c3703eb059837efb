internal import Pipeline
internal import PipelineConfig

/// A query whose values are bound: those of parameters, written `:user`, and those of variables.
public struct SQLQuery: Sendable, Hashable {
    /// The query as SQLite gets it.
    let text: String
    /// The parameters that it names, each once, in the order in which they come.
    let parameters: [String]
    /// The values of variables, by the names that they have in the text.
    let values: [String: String]

    /// The query `text`; a SQL that cannot be one fails when it is used.
    public init(_ text: String) {
        self.init(SQLScanner(InterpolatedText(pieces: [.literal(text, offset: 0)])))
    }

    init(_ scanner: SQLScanner) {
        text = scanner.text
        parameters = scanner.uses.map(\.name).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        values = scanner.values
    }

    /// What is bound for `key`, by name.
    func arguments(for key: Key) throws -> [String: String] {
        var arguments = values
        for name in parameters {
            let value =
                switch name {
                case "pipeline": key.pipeline
                case "key": key.text
                default: key[name] ?? ""
                }
            // SQLite's texts end there: the query would be one for another value.
            guard !value.utf8.contains(0) else { throw SourceError("the value of `\(name)` has a NUL character in it") }
            arguments[name] = value
        }
        return arguments
    }
}
