/// A place between two characters of a configuration: line and column from 1, columns in Unicode scalars.
public struct TextPosition: Hashable, Comparable, Sendable {
    /// The line, from 1.
    public var line: Int
    /// The column in Unicode scalars, from 1.
    public var column: Int

    /// The position before the character at `column` of `line`.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Whether `left` stands before `right`.
    public static func < (left: TextPosition, right: TextPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
