/// The rows as a Markdown table, its columns aligned.
struct Table {
    let rows: [Row]

    var text: String {
        let heads = ["what", "figure", "floor", "ratio (p10–p90)", "budget", "met"]
        let cells = [heads] + rows.map { [$0.name, $0.figure, $0.floor, $0.ratio, $0.budget, Self.verdict($0.isMet)] }
        let widths = heads.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            "| " + zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: " | ") + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([line(cells[0]), rule] + cells.dropFirst().map(line)).joined(separator: "\n")
    }

    private static func verdict(_ isMet: Bool?) -> String {
        switch isMet {
        case true?: "yes"
        case false?: "no"
        case nil: "–"
        }
    }
}
