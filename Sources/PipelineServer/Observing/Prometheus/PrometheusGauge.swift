internal import CoreMetrics
internal import Pipeline
internal import Synchronization

/// A number as it was last told.
final class PrometheusGauge: RecorderHandler, MeterHandler, PrometheusSeries {
    static let type = "gauge"

    private let value = Mutex(0.0)

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) { self.value.withLock { $0 = value } }

    func set(_ value: Int64) { record(value) }

    func set(_ value: Double) { record(value) }

    func increment(by amount: Double) { value.withLock { $0 += amount } }

    func decrement(by amount: Double) { value.withLock { $0 -= amount } }

    func lines(_ name: String, _ labels: PrometheusLabels) -> [String] {
        ["\(name)\(labels) \(PrometheusNumber.text(value.withLock { $0 }))"]
    }
}
