public import CoreMetrics
public import Pipeline
public import PipelineConfig

/// Counts what happens in pipelines, for any backend of swift-metrics.
///
/// ```swift
/// let metrics = PipelineMetrics(plan: report.plan)
/// let pipelines = try Pipelines(report, observers: [metrics.observer])
/// ```
///
/// Counters `pipe_run_hits_total`, `pipe_run_misses_total`, `pipe_run_stale_total`, `pipe_run_errors_total`, `pipe_run_retries_total`,
/// `pipe_run_writes_total` and `pipe_run_evictions_total`, and a timer `pipe_run_load_seconds`, with the dimensions `pipeline` and
/// `source`, writes also with `outcome`; a counter `pipe_run_refreshes_total` with `pipeline` and `outcome`; of feeds, the counters
/// `pipe_run_feed_messages_total`, `pipe_run_feed_skipped_total`, `pipe_run_feed_dropped_total`, `pipe_run_feed_reconnects_total` and
/// `pipe_run_feed_syncs_total`, and a gauge `pipe_run_feeds` with `state`. Reads are those that were
/// made: a load that many wait for counts once.
public struct PipelineMetrics: Sendable {
    private let reads: MetricTable<TierMetrics>
    private let writes: MetricTable<[WriteRecord.Outcome: Counter]>
    private let evictions: MetricTable<Counter>
    private let refreshes: MetricTable<[FetchEnding: Counter]>
    private let feeds: MetricTable<FeedMetrics>

    /// Metrics of the backend that `factory` is.
    ///
    /// - Parameters:
    ///   - plan: its tiers are counted from 0 on; without it, each metric appears with the first event it counts.
    ///   - factory: by default the one that the system is bootstrapped with at this moment, so bootstrap it before.
    public init(plan: Plan? = nil, factory: any MetricsFactory = MetricsSystem.factory) {
        reads = MetricTable { TierMetrics($0, factory: factory) }
        writes = MetricTable { name in
            // What is scheduled is told when it is written.
            let outcomes = WriteRecord.Outcome.allCases.filter { $0 != .scheduled }
            return Dictionary(
                uniqueKeysWithValues: outcomes.map { outcome in
                    let dimensions = name.dimensions + [("outcome", outcome.rawValue)]
                    return (outcome, Counter(label: PipelineMetric.writes.rawValue, dimensions: dimensions, factory: factory))
                })
        }
        evictions = MetricTable { name in
            Counter(label: PipelineMetric.evictions.rawValue, dimensions: name.dimensions, factory: factory)
        }
        refreshes = MetricTable { name in
            Dictionary(
                uniqueKeysWithValues: FetchEnding.allCases.filter { $0 != .stale }.map { result in
                    let dimensions = [("pipeline", name.pipeline), ("outcome", result.rawValue)]
                    return (result, Counter(label: PipelineMetric.refreshes.rawValue, dimensions: dimensions, factory: factory))
                })
        }
        feeds = MetricTable { FeedMetrics($0, factory: factory) }
        if let plan { show(plan) }
    }

    /// Counts the tiers of `plan` from now on; what has been counted stays.
    package func show(_ plan: Plan) {
        for pipeline in plan.pipelines {
            _ = refreshes[TierName(pipeline: pipeline.name, source: "")]
            for tier in pipeline.tiers {
                let name = TierName(pipeline: pipeline.name, source: tier.source.name)
                _ = reads[name]
                guard tier.source.isWritable != false else { continue }
                _ = writes[name]
                _ = evictions[name]
            }
            for feed in pipeline.feeds { _ = feeds[TierName(pipeline: pipeline.name, source: feed.source.name)] }
        }
    }

    /// Counts each event; to be given to ``Pipelines``.
    public var observer: PipelineEvent.Observer {
        { event in count(event) }
    }

    private func count(_ event: PipelineEvent) {
        switch event {
        case .attempt(let attempt, let key):
            reads[TierName(pipeline: key.pipeline, source: attempt.source)].count(attempt)
        case .write(let record, let key):
            writes[TierName(pipeline: key.pipeline, source: record.source)][record.outcome]?.increment()
        case .eviction(let source, let key):
            evictions[TierName(pipeline: key?.pipeline ?? "", source: source)].increment()
        case .refresh(let outcome, _):
            // A refresh that could only give the old copy has failed.
            let ending = outcome.ending == .stale ? .failed : outcome.ending
            refreshes[TierName(pipeline: outcome.key.pipeline, source: "")][ending]?.increment()
        case .feed(let event, let source, let pipeline): feeds[TierName(pipeline: pipeline, source: source)].count(event)
        case .fetch, .removal, .subscription: break
        }
    }
}
