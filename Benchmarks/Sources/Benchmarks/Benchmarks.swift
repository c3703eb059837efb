/// Measures what the design budgets, each figure beside its floor of the same run, and prints the table.
///
/// `ROWS=memory,file` in the environment measures a part; `TRACES=folder` prints the hit ratios of public traces alone.
@main
enum Benchmarks {
    static func main() async throws {
        if let folder = Environment["TRACES"] { return print(try await TraceRatios.table(folder: folder)) }
        let sections = try Section.chosen(by: Environment["ROWS"])
        var rows: [Row] = []
        for section in sections {
            StandardError.write("measuring: \(section.rawValue)\n")
            rows += try await section.measure()
        }
        print(Table(rows: rows).text)
    }
}
