public import PipelineConfig

extension SQLQuery: FieldValue {
    /// An SQL query.
    public static var fieldType: FieldType { .query }

    /// A query in which parameters (`:user`) and variables (`${NAME}`) are bound values, never text. A query that is one variable as a
    /// whole, as `${file:friends.sql}`, is what that variable holds.
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

    /// Nil: a query is no default.
    public var written: String? { nil }
}
