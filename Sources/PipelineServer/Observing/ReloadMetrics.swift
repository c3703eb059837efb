package import CoreMetrics
package import Pipeline

/// Tells how the configuration was last read again. Each metric appears with the first time.
package struct ReloadMetrics: Sendable {
    private let factory: any MetricsFactory

    package init(factory: any MetricsFactory) {
        self.factory = factory
    }

    /// The configuration was read again at `now`, by the clock on the wall; nil when it cannot be used.
    package func note(_ now: Timestamp?) {
        let dimensions = [("outcome", now == nil ? "failed" : "success")]
        Counter(label: PipelineMetric.reloads.rawValue, dimensions: dimensions, factory: factory).increment()
        Gauge(label: PipelineMetric.reloadSuccess.rawValue, dimensions: [], factory: factory).record(now == nil ? 0 : 1)
        guard let now else { return }
        Gauge(label: PipelineMetric.reloadTime.rawValue, dimensions: [], factory: factory).record(Double(now.nanoseconds) / 1e9)
    }
}
