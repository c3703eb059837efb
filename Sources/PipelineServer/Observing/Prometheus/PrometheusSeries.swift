internal import CoreMetrics
internal import Pipeline
internal import Synchronization

/// The samples of one metric with one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
    /// The word of the `TYPE` line.
    static var type: String { get }

    init()

    /// The lines of the exposition, without line ends.
    func lines(_ name: String, _ labels: PrometheusLabels) -> [String]
}

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

/// Durations in seconds, counted in buckets.
final class PrometheusHistogram: TimerHandler, PrometheusSeries {
    static let type = "histogram"

    /// The longest duration of each bucket; longer ones have a bucket of their own.
    private static let bounds = [
        0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private struct State {
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var sum = 0.0
    }

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1_000_000_000
        let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock {
            $0.counts[bucket] += 1
            $0.sum += seconds
        }
    }

    func lines(_ name: String, _ labels: PrometheusLabels) -> [String] {
        let state = self.state.withLock { $0 }
        var count = 0
        var lines: [String] = []
        for (bound, inBucket) in zip(Self.bounds.map(Self.number) + ["+Inf"], state.counts) {
            count += inBucket
            lines.append("\(name)_bucket\(labels.with("le", bound)) \(count)")
        }
        return lines + ["\(name)_sum\(labels) \(Self.number(state.sum))", "\(name)_count\(labels) \(count)"]
    }

    private static func number(_ value: Double) -> String { PrometheusNumber.text(value) }
}

/// A number as Prometheus writes it.
enum PrometheusNumber {
    /// The number without a needless fraction.
    static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}
