/// The edit that certainly mends a problem: nobody has to choose, and nothing else changes.
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

    /// Quotes around what stands at `range`, which has none in it, nor a backslash.
    package static func quotes(around range: TextRange) -> TextFix {
        TextFix(
            [range.start, range.end].map { Replacement(TextRange($0, $0), with: "\"") }, summary: "now in quotes")
    }
}
