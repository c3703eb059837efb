/// Rows with their columns under each other.
enum TextTable {
    /// One line for each row, two spaces between columns.
    static func text(_ rows: [[String]], indented indentation: String = "") -> String {
        let widths = (rows.first?.indices ?? 0..<0).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { index, cell in
                index == row.count - 1 ? cell.0 : cell.0 + String(repeating: " ", count: cell.1 - cell.0.count)
            }
            return indentation + cells.joined(separator: "  ") + "\n"
        }.joined()
    }
}
