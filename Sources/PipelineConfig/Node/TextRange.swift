/// A stretch of a configuration's text; the end is exclusive.
public struct TextRange: Hashable, Sendable {
    /// The begin of the range.
    public var start: TextPosition
    /// The end of the range, exclusive.
    public var end: TextPosition

    /// The stretch from `start` up to `end`.
    public init(_ start: TextPosition, _ end: TextPosition) {
        self.start = start
        self.end = end
    }

    /// The beginning of the text.
    public static let beginning = TextRange(TextPosition(line: 1, column: 1), TextPosition(line: 1, column: 1))
}

/// A place between two characters of a configuration: line and column from 1, columns in Unicode scalars.
public struct TextPosition: Hashable, Comparable, Sendable {
    // Half the size: a configuration of 1,000 pipelines has 80,000 of them, and no text that can be read has more than 2^31 lines.
    private var storedLine: Int32
    private var storedColumn: Int32

    /// The line, from 1.
    public var line: Int {
        get { Int(storedLine) }
        set { storedLine = Int32(clamping: newValue) }
    }
    /// The column in Unicode scalars, from 1.
    public var column: Int {
        get { Int(storedColumn) }
        set { storedColumn = Int32(clamping: newValue) }
    }

    /// The position before the character at `column` of `line`.
    public init(line: Int, column: Int) {
        storedLine = Int32(clamping: line)
        storedColumn = Int32(clamping: column)
    }

    /// Indicates whether `left` stands before `right`.
    public static func < (left: TextPosition, right: TextPosition) -> Bool {
        (left.storedLine, left.storedColumn) < (right.storedLine, right.storedColumn)
    }
}
