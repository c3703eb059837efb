internal import CoreMetrics
internal import Pipeline
private import Synchronization

/// What holds at the moment of a scrape: loads under way, the circuits of tiers, and which program this is.
final class PipelineGauges: Sendable {
    private struct Series: Hashable {
        let metric: PipelineMetric
        let pipeline: String
        let source: String?
    }

    private let served: ServedPipelines
    private let version: String
    private let factory: any MetricsFactory
    /// Those of pipelines, which may be gone at the next scrape.
    private let gauges = Mutex<[Series: Gauge]>([:])

    /// - Parameter version: of the program.
    init(_ served: ServedPipelines, version: String, factory: any MetricsFactory) {
        self.served = served
        self.version = version
        self.factory = factory
    }

    /// Sets the gauges to what holds now.
    func update() {
        Gauge(label: PipelineMetric.build.rawValue, dimensions: [("version", version)], factory: factory).record(1)
        var values: [Series: Int] = [:]
        for pipeline in served.current.all {
            let name = pipeline.spec.name
            values[Series(metric: .loadsUnderWay, pipeline: name, source: nil)] = pipeline.loadsUnderWay
            for (source, state) in pipeline.circuits {
                values[Series(metric: .circuitState, pipeline: name, source: source)] = state.rawValue
            }
        }
        let (shown, gone) = gauges.withLock { gauges in
            let gone = gauges.filter { values[$0.key] == nil }.map(\.value)
            gauges = values.reduce(into: [:]) { $0[$1.key] = gauges[$1.key] ?? gauge($1.key) }
            return (gauges, gone)
        }
        for gauge in gone { gauge.destroy() }
        for (series, gauge) in shown { gauge.record(values[series] ?? 0) }
    }

    private func gauge(_ series: Series) -> Gauge {
        let dimensions = [("pipeline", series.pipeline)] + (series.source.map { [("source", $0)] } ?? [])
        return Gauge(label: series.metric.rawValue, dimensions: dimensions, factory: factory)
    }
}
