internal import CoreMetrics
internal import Synchronization

/// A number that only grows.
final class PrometheusCounter: CounterHandler, PrometheusSeries {
    static let type = "counter"

    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        value.store(0, ordering: .relaxed)
    }

    func lines(_ name: String, _ labels: PrometheusLabels) -> [String] {
        ["\(name)\(labels) \(value.load(ordering: .relaxed))"]
    }
}
