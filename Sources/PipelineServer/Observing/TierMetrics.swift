internal import CoreMetrics
internal import Pipeline

/// What is counted of the reads of one tier.
struct TierMetrics {
    private let hits: Counter
    private let misses: Counter
    private let stale: Counter
    private let errors: Counter
    private let retries: Counter
    private let load: CoreMetrics.Timer

    init(_ name: TierName, factory: any MetricsFactory) {
        func counter(_ metric: PipelineMetric) -> Counter {
            Counter(label: metric.rawValue, dimensions: name.dimensions, factory: factory)
        }
        hits = counter(.hits)
        misses = counter(.misses)
        stale = counter(.stale)
        errors = counter(.errors)
        retries = counter(.retries)
        load = CoreMetrics.Timer(
            label: PipelineMetric.load.rawValue, dimensions: name.dimensions, preferredDisplayUnit: .seconds, factory: factory)
    }

    func count(_ attempt: Attempt) {
        switch attempt.outcome {
        case .hit, .notFound: hits.increment()
        case .miss, .expired: misses.increment()
        case .stale: stale.increment()
        case .invalid, .error, .timeout: errors.increment()
        case .skipped: return
        }
        if attempt.tries > 1 { retries.increment(by: attempt.tries - 1) }
        load.recordNanoseconds(attempt.duration.saturatedNanoseconds)
    }
}
