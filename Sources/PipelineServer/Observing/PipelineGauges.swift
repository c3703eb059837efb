internal import CoreMetrics
internal import Pipeline

/// What holds at the moment of a scrape: loads under way, the circuits of tiers, and which program this is.
struct PipelineGauges: Sendable {
    private let pipelines: [DataPipeline]
    private let factory: any MetricsFactory

    init(_ pipelines: Pipelines, factory: any MetricsFactory) {
        self.pipelines = pipelines.plan.pipelines.compactMap { try? pipelines[$0.name] }
        self.factory = factory
    }

    /// Sets the gauges to what holds now.
    func update() {
        set(.build, to: 1, [("version", RootCommand.version)])
        for pipeline in pipelines {
            let name = pipeline.plan.name
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
