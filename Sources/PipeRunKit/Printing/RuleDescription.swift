internal import Pipeline

/// What the formats say about a code in general.
struct RuleDescription {
    /// One line: `undefined source`.
    let title: String
    /// What it means.
    let meaning: String
    /// What to do about it, as plain text and as Markdown.
    let help: (text: String, markdown: String)

    init(_ code: DiagnosticCode) {
        title = Self.words(of: "\(code)")
        meaning = "\(title): \(code.severity == .error ? "an error" : "a warning") that the level `\(code.level.rawValue)` finds"
        help = (
            "`pipe-run validate` shows the place, and the edit that mends it.",
            "`pipe-run validate` shows the place, and the edit that mends it."
        )
    }

    /// `undefined source` from `undefinedSource`.
    private static func words(of name: String) -> String {
        name.map { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }.joined()
    }
}
