/// The samples of one metric with one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
    /// The word of the `TYPE` line.
    static var type: String { get }

    init()

    /// The lines of the exposition, without line ends.
    func lines(_ name: String, _ labels: PrometheusLabels) -> [String]
}
