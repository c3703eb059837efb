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

    /// Whether `left` stands before `right`.
    public static func < (left: TextPosition, right: TextPosition) -> Bool {
        (left.storedLine, left.storedColumn) < (right.storedLine, right.storedColumn)
    }
}
