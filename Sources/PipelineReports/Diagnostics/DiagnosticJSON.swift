package import PipelineConfig
package import PipelineJSON

/// Diagnostics as a JSON list.
package enum DiagnosticJSON {
    package static func text(_ diagnostics: [Diagnostic]) -> String {
        JSONText.lines(diagnostics.map { .object(members($0)) }).text + "\n"
    }

    package static func members(_ diagnostic: Diagnostic) -> [(String, JSONText)] {
        [
            ("file", .string(diagnostic.file)),
            ("line", .int(diagnostic.range.start.line)),
            ("column", .int(diagnostic.range.start.column)),
            ("end_line", .int(diagnostic.range.end.line)),
            ("end_column", .int(diagnostic.range.end.column)),
            ("severity", .string(diagnostic.severity.rawValue)),
            ("code", .string(diagnostic.code.rawValue)),
            ("message", .string(diagnostic.message)),
            ("help", .optional(diagnostic.help)),
            ("related", .array(diagnostic.related.map { related($0, in: diagnostic.file) })),
        ]
    }

    private static func related(_ related: Diagnostic.Related, in file: String) -> JSONText {
        .object([
            ("file", .string(file)),
            ("line", related.range.map { .int($0.start.line) } ?? .null),
            ("column", related.range.map { .int($0.start.column) } ?? .null),
            ("message", .string(related.message)),
        ])
    }
}
