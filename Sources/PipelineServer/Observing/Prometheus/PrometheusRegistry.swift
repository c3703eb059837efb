internal import CoreMetrics
internal import Pipeline
internal import Synchronization

/// Keeps counters, timers and gauges, and shows them in Prometheus' text format.
///
/// A backend of swift-metrics for what pipelines count: recorders that aggregate take values and show nothing.
package final class PrometheusRegistry: MetricsFactory {
    /// The media type of ``text``.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private struct State {
        var counters = PrometheusFamilies<PrometheusCounter>()
        var gauges = PrometheusFamilies<PrometheusGauge>()
        var histograms = PrometheusFamilies<PrometheusHistogram>()
    }

    private let state = Mutex(State())
    private let help: [String: String]

    /// - Parameter help: what metrics tell, by their names.
    package init(help: [String: String] = Dictionary(uniqueKeysWithValues: PipelineMetric.allCases.map { ($0.rawValue, $0.help) })) {
        self.help = help
    }

    /// All metrics as they are now, in the order of their names and labels.
    var text: String {
        let state = self.state.withLock { $0 }
        return (state.counters.texts(help: help) + state.gauges.texts(help: help) + state.histograms.texts(help: help))
            .sorted { $0.name < $1.name }.map(\.text).joined()
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        state.withLock { $0.counters.series(label, PrometheusLabels(dimensions)) }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        state.withLock { $0.histograms.series(label, PrometheusLabels(dimensions)) }
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate { return NOOPMetricsHandler.instance }
        return state.withLock { $0.gauges.series(label, PrometheusLabels(dimensions)) }
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        state.withLock { $0.gauges.series(label, PrometheusLabels(dimensions)) }
    }

    func destroyMeter(_ handler: any MeterHandler) {
        state.withLock { $0.gauges.remove(handler) }
    }

    func destroyCounter(_ handler: any CounterHandler) {
        state.withLock { $0.counters.remove(handler) }
    }

    func destroyTimer(_ handler: any TimerHandler) {
        state.withLock { $0.histograms.remove(handler) }
    }

    func destroyRecorder(_ handler: any RecorderHandler) {
        state.withLock { $0.gauges.remove(handler) }
    }
}
