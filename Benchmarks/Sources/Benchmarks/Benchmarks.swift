/// Measures what the design budgets, each figure beside its floor of the same run, and prints the table.
///
/// `ROWS=memory,file` in the environment measures a part.
@main
enum Benchmarks {
    static func main() async throws {
        let sections = try Section.chosen(by: Environment["ROWS"])
        var rows: [Row] = []
        for section in sections {
            StandardError.write("measuring: \(section.rawValue)\n")
            rows += try await section.measure()
        }
        print(Table(rows: rows).text)
    }
}
