/// A stretch of a configuration's text; the end is exclusive.
public struct TextRange: Hashable, Sendable {
    /// Where it begins.
    public var start: TextPosition
    /// Where it ends, exclusive.
    public var end: TextPosition

    /// The stretch from `start` up to `end`.
    public init(_ start: TextPosition, _ end: TextPosition) {
        self.start = start
        self.end = end
    }

    /// The beginning of the text.
    public static let beginning = TextRange(TextPosition(line: 1, column: 1), TextPosition(line: 1, column: 1))
}
