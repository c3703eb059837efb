/// A comment that is written for this program: `# pipe-run: …`.
public struct ConfigComment: Sendable, Hashable {
    /// What stands after `pipe-run:`.
    public let text: String
    /// Where the comment stands, from its `#` to the end of the line.
    public let range: TextRange
    /// The line that it speaks of: its own, or the next that is more than a comment when it stands alone.
    public let line: Int

    /// A comment at `range` about `line`.
    public init(text: String, range: TextRange, line: Int) {
        self.text = text
        self.range = range
        self.line = line
    }
}
