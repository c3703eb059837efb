/// The edit that certainly fixes a problem: there is nothing to choose, and nothing else changes.
public struct TextFix: Sendable, Hashable {
    /// A stretch of the text and what belongs there.
    public struct Replacement: Sendable, Hashable {
        /// What goes; empty where something is put in.
        public let range: TextRange
        /// What comes.
        public let text: String

        /// `text` in place of what stands at `range`.
        public init(_ range: TextRange, with text: String) {
            self.range = range
            self.text = text
        }
    }

    /// What is replaced; the stretches do not overlap.
    public let replacements: [Replacement]
    /// What it comes to, as it is said after the problem, for example "now `timeout`".
    public let summary: String

    /// The edit that makes all `replacements`.
    public init(_ replacements: [Replacement], summary: String) {
        self.replacements = replacements
        self.summary = summary
    }

    /// Quotes around `text`, which stands at `range` of one line.
    package static func quotes(around range: TextRange, of text: String) -> TextFix {
        let quote = quote(around: text)
        // A `'` within single quotes is written twice.
        let doubled = quote == "'" ? text.unicodeScalars.enumerated().filter { $0.element == "'" }.map(\.offset) : []
        let places =
            [range.start, range.end] + doubled.map { TextPosition(line: range.start.line, column: range.start.column + $0) }
        return TextFix(places.map { Replacement(TextRange($0, $0), with: quote) }, summary: "now in quotes")
    }

    /// `text` in the quotes that ``quotes(around:of:)`` puts around it.
    package static func quoted(_ text: String) -> String {
        let quote = quote(around: text)
        return quote + (quote == "'" ? text.replacing("'", with: "''") : text) + quote
    }

    /// Single quotes where something within double ones would be an escape, or their end.
    private static func quote(around text: String) -> String { text.contains { "\"\\".contains($0) } ? "'" : "\"" }
}
