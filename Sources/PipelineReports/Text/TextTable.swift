/// Rows with their columns under each other.
package enum TextTable {
    /// One line for each row, two spaces between columns.
    ///
    /// - Parameters:
    ///   - head: the names of the columns. One in which no row has anything is left out: each cell is empty, or `-`.
    ///   - figures: whether all but the first column stand to the right.
    package static func text(_ rows: [[String]], head: [String]? = nil, figures: Bool = false, indented indentation: String = "") -> String
    {
        let columns = (rows.first ?? head ?? []).indices.filter { column in
            column == 0 || head == nil || !rows.allSatisfy { ["", "-"].contains($0[column]) }
        }
        let all = ([head].compactMap(\.self) + rows).map { row in columns.map { row[$0] } }
        let widths = columns.indices.map { column in all.map { TerminalWidth.of($0[column]) }.max() ?? 0 }
        return all.map { row in
            let cells = zip(row, widths).enumerated().map { index, cell in
                let space = String(repeating: " ", count: cell.1 - TerminalWidth.of(cell.0))
                if figures, index > 0 { return space + cell.0 }
                return index == row.count - 1 && !figures ? cell.0 : cell.0 + space
            }
            return indentation + cells.joined(separator: "  ") + "\n"
        }.joined()
    }
}

/// Comma-separated values, as RFC 4180 has them.
enum CSVText {
    /// A line for each row.
    static func lines(_ rows: [[String]]) -> String { rows.map { $0.map(field).joined(separator: ",") + "\n" }.joined() }

    private static func field(_ text: String) -> String {
        text.contains { ",\"\n\r".contains($0) } ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}
