internal import CoreMetrics
internal import Pipeline

/// What holds at the moment of a scrape: loads under way, the circuits of tiers, and which program this is.
struct PipelineGauges: Sendable {
    private let pipelines: [DataPipeline]
    private let version: String
    private let factory: any MetricsFactory

    /// - Parameter version: of the program.
    init(_ pipelines: Pipelines, version: String, factory: any MetricsFactory) {
        self.pipelines = pipelines.all
        self.version = version
        self.factory = factory
    }

    /// Sets the gauges to what holds now.
    func update() {
        set(.build, to: 1, [("version", version)])
        for pipeline in pipelines {
            let name = pipeline.spec.name
            set(.loadsUnderWay, to: pipeline.loadsUnderWay, [("pipeline", name)])
            for (source, state) in pipeline.circuits {
                set(.circuitState, to: state.rawValue, TierName(pipeline: name, source: source).dimensions)
            }
        }
    }

    private func set(_ metric: PipelineMetric, to value: Int, _ dimensions: [(String, String)]) {
        Gauge(label: metric.rawValue, dimensions: dimensions, factory: factory).record(value)
    }
}
