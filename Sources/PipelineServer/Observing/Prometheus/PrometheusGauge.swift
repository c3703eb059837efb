internal import CoreMetrics
internal import Pipeline
internal import Synchronization

/// A number as it was last told.
final class PrometheusGauge: RecorderHandler, PrometheusSeries {
    static let type = "gauge"

    private let value = Mutex(0.0)

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) { self.value.withLock { $0 = value } }

    func lines(_ name: String, _ labels: PrometheusLabels) -> [String] {
        ["\(name)\(labels) \(PrometheusNumber.text(value.withLock { $0 }))"]
    }
}
