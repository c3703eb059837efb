package import PipelineConfig

/// Diagnostics as commands of a GitHub workflow, which shows them as annotations; one line each, and none without problems.
package enum WorkflowCommands {
    package static func text(_ diagnostics: [Diagnostic]) -> String {
        diagnostics.map { line($0) + "\n" }.joined()
    }

    private static func line(_ diagnostic: Diagnostic) -> String {
        line(
            diagnostic.severity == .note ? "notice" : diagnostic.severity.rawValue, file: diagnostic.file, at: diagnostic.range,
            title: "\(diagnostic.code.rawValue) \(RuleDescription(diagnostic.code).title)", message(of: diagnostic))
    }

    /// One command, without a line break: `::error file=…,line=…,col=…,title=…::MESSAGE`.
    static func line(_ severity: String, file: String, at range: TextRange, title: String, _ message: String) -> String {
        let endLine = range.end.line == range.start.line ? [] : [("endLine", "\(range.end.line)")]
        let properties =
            ([
                ("file", FileURI.withoutDot(file)),
                ("line", "\(range.start.line)"),
                ("col", "\(range.start.column)"),
            ] + endLine + [
                ("endColumn", "\(range.end.column)"),
                ("title", title),
            ]).map { "\($0.0)=\(escapedProperty($0.1))" }.joined(separator: ",")
        return "::\(severity) \(properties)::\(escaped(message))"
    }

    private static func message(of diagnostic: Diagnostic) -> String {
        let help = diagnostic.help.map { ["help: \($0)"] } ?? []
        let notes = diagnostic.related.map { related in
            let place = related.range.map { "\(diagnostic.file):\($0.start.line):\($0.start.column): " } ?? ""
            return "note: \(place)\(related.message)"
        }
        return ([diagnostic.message] + help + notes).map(\.printable).joined(separator: "\n")
    }

    /// The text with everything that would end a command in hexadecimal digits.
    private static func escaped(_ text: String, _ further: [Unicode.Scalar: String] = [:]) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            default: result += further[scalar] ?? String(scalar)
            }
        }
        return result
    }

    private static func escapedProperty(_ text: String) -> String {
        escaped(text, [":": "%3A", ",": "%2C"])
    }
}
