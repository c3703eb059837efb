/// Comma-separated values, as RFC 4180 has them.
enum CSVText {
    /// A line for each row.
    static func lines(_ rows: [[String]]) -> String { rows.map { $0.map(field).joined(separator: ",") + "\n" }.joined() }

    private static func field(_ text: String) -> String {
        text.contains { ",\"\n\r".contains($0) } ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}
