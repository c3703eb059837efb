internal import CoreMetrics
internal import Pipeline

/// Counts what answers to clients lack: parts of composites that failed, and targets of followed links that are not there.
struct LackMetrics: Sendable {
    /// By the pipeline of the answer; the source is the pipeline of the part.
    private let degraded: MetricTable<Counter>
    private let missing: MetricTable<Counter>

    init(factory: any MetricsFactory) {
        func table(_ metric: PipelineMetric) -> MetricTable<Counter> {
            MetricTable { name in
                let dimensions = [("pipeline", name.pipeline), ("part", name.source)]
                return Counter(label: metric.rawValue, dimensions: dimensions, factory: factory)
            }
        }
        degraded = table(.degradedParts)
        missing = table(.missingTargets)
    }

    func count(_ outcome: Outcome) {
        let pipeline = outcome.key.pipeline
        // Where there is no value, nothing lacks a part, also one that had failed before that was certain.
        if case .notFound = outcome.result { return }
        for part in outcome.parts where part.isDegraded { degraded[TierName(pipeline: pipeline, source: part.pipeline)].increment() }
        for target in outcome.missing { missing[TierName(pipeline: pipeline, source: target.pipeline)].increment() }
    }
}
