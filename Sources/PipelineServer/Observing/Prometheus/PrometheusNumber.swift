/// A number as Prometheus writes it.
enum PrometheusNumber {
    /// Without a needless fraction.
    static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}
