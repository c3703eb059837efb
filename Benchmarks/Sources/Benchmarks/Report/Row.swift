/// One line of the table.
struct Row {
    let name: String
    let figure: String
    let floor: String
    let ratio: String
    let budget: String
    /// Whether the budget is met; nil for a row that is there for information.
    let isMet: Bool?

    init(_ name: String, figure: String, floor: String = "", ratio: String = "", budget: String = "", isMet: Bool? = nil) {
        self.name = name
        self.figure = figure
        self.floor = floor
        self.ratio = ratio
        self.budget = budget
        self.isMet = isMet
    }

    /// A row of what was measured side by side; `budget` bounds the ratio of the medians.
    ///
    /// - Parameter count: how often each did its work in one round, so that figure and floor are those of one time.
    init(_ name: String, _ comparison: Comparison, count: Int = 1, atMost budget: Double? = nil) {
        let ratio = comparison.ratio
        self.init(
            name,
            figure: comparison.subject.median.time(each: count),
            floor: comparison.floor.median.time(each: count),
            ratio: "\(ratio.median.text(2)) (\(ratio.low.text(2))–\(ratio.high.text(2)))",
            budget: budget.map { "≤ \(Self.words($0))" } ?? "",
            isMet: budget.map { ratio.median <= $0 })
    }

    /// A number with as many decimals as it needs, two at the most.
    private static func words(_ number: Double) -> String {
        number.text(number == number.rounded() ? 0 : (number * 10).rounded() == number * 10 ? 1 : 2)
    }
}
