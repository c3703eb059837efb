/// The metrics of one type, by name and labels.
struct PrometheusFamilies<Series: PrometheusSeries> {
    private var families: [String: [PrometheusLabels: Series]] = [:]

    /// The series of this name with these labels, made when there is none.
    mutating func series(_ name: String, _ labels: PrometheusLabels) -> Series {
        if let series = families[name]?[labels] { return series }
        let series = Series()
        families[name, default: [:]][labels] = series
        return series
    }

    /// Forgets a series.
    mutating func remove(_ series: AnyObject) {
        families = families.mapValues { $0.filter { $0.value !== series } }.filter { !$0.value.isEmpty }
    }

    /// Each family's text, by its name.
    func texts(help: [String: String]) -> [(name: String, text: String)] {
        families.map { name, family in
            let help = help[name].map { ["# HELP \(name) \(Self.escaped($0))"] } ?? []
            let samples = family.sorted { $0.key < $1.key }.flatMap { labels, series in series.lines(name, labels) }
            return (name, (help + ["# TYPE \(name) \(Series.type)"] + samples).map { $0 + "\n" }.joined())
        }
    }

    private static func escaped(_ help: String) -> String {
        help.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
            .split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
    }
}
