internal import Pipeline
public import PipelineConfig

/// A query whose values are bound: those of parameters, written `:user`, and those of variables.
public struct SQLQuery: Sendable, Hashable {
    /// The query as SQLite gets it.
    let text: String
    /// The parameters that it names, each once, in the order in which they come.
    let parameters: [String]
    /// The values of variables, by the names that they have in the text.
    let values: [String: String]
    /// The places where ``text`` names each parameter, in bytes, in its order.
    private let places: [(name: String, range: Range<Int>)]

    /// The query `text`; a SQL that cannot be one fails when it is used.
    public init(_ text: String) {
        self.init(SQLScanner(InterpolatedText(pieces: [.literal(text, offset: 0)])))
    }

    init(_ scanner: SQLScanner) {
        text = scanner.text
        parameters = scanner.uses.map(\.name).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        values = scanner.values
        places = scanner.uses.map { ($0.name, $0.range) }
    }

    private init(_ text: String, like query: SQLQuery) {
        self.text = text
        (parameters, values, places) = (query.parameters, query.values, [])
    }

    /// The query with `count` bound values in each place of `parameter`, divided by commas: the parameter itself, and those of
    /// ``name(ofValue:)``.
    func repeating(_ parameter: String, count: Int) -> SQLQuery {
        let more = (1..<max(1, count)).map { ", :" + Self.name(ofValue: $0) }.joined()
        var result: [UInt8] = []
        var end = 0
        let bytes = Array(text.utf8)
        for place in places where place.name == parameter {
            result += bytes[end..<place.range.upperBound] + Array(more.utf8)
            end = place.range.upperBound
        }
        return SQLQuery(String(decoding: result + bytes[end...], as: UTF8.self), like: self)
    }

    /// The name of the value at `index`, from 1 on, of a parameter that has several. No parameter and no variable has such a name.
    static func name(ofValue index: Int) -> String { "0_\(index)" }

    /// The values that are bound for `key`, by name.
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

extension SQLQuery {
    /// Indicates whether both give SQLite the same text and bind the same values.
    public static func == (left: SQLQuery, right: SQLQuery) -> Bool {
        left.text == right.text && left.parameters == right.parameters && left.values == right.values
    }

    /// Feeds the text into `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension SQLQuery: FieldValue {
    /// An SQL query.
    public static var fieldType: FieldType { .query }

    /// A query in which parameters (`:user`) and variables (`${NAME}`) are bound values, never text. A query that is nothing but one
    /// variable, as `${file:friends.sql}`, is what that variable holds.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SQLQuery? {
        guard let (text, isComplete) = decoder.interpolation(of: node, expecting: "an SQL query") else { return nil }
        let scanner = SQLScanner(text, isComplete: isComplete)
        for use in scanner.uses { decoder.noteUse(ofParameter: use.name, at: use.part, of: node) }
        for problem in scanner.problems {
            decoder.report(
                .malformed, problem.isHarmless ? problem.message : "malformed query for `\(decoder.fieldName)`: \(problem.message)",
                at: problem.part, of: node, severity: problem.isHarmless ? .warning : nil, help: problem.help)
        }
        return isComplete && scanner.problems.allSatisfy(\.isHarmless) ? SQLQuery(scanner) : nil
    }

    /// The text of a default, always nil: a query is no default.
    public var written: String? { nil }
}
