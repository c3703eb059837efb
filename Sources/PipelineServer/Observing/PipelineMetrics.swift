public import CoreMetrics
public import Pipeline
public import PipelineConfig
import PipelineLive
import PipelineSending
internal import Synchronization

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
/// `pipe_run_feed_syncs_total`, and a gauge `pipe_run_feeds` with `state`; of sends, the counters `pipe_run_sends_total` with `send` and
/// `outcome` and `pipe_run_send_tries_total` with `send`, and a timer `pipe_run_send_seconds` with `send`. Reads are those that were made: a
/// load that many wait for counts once.
public struct PipelineMetrics: Sendable {
    private let reads: MetricTable<TierMetrics>
    private let writes: MetricTable<[WriteRecord.Outcome: Counter]>
    private let evictions: MetricTable<Counter>
    private let refreshes: MetricTable<[FetchEnding: Counter]>
    private let feeds: MetricTable<FeedMetrics>
    /// By the name of the send in the place of a pipeline's.
    private let sends: MetricTable<SendMetrics>

    /// Metrics of the backend that `factory` is.
    ///
    /// - Parameters:
    ///   - plan: its tiers are counted from 0 on; without it, each metric appears with the first event it counts.
    ///   - factory: by default the one that the system is bootstrapped with at this moment, so bootstrap it before.
    public init(plan: Plan? = nil, factory: any MetricsFactory = MetricsSystem.factory) {
        reads = MetricTable({ TierMetrics($0, factory: factory) }, destroying: { $0.destroy() })
        writes = MetricTable(
            { name in
                // What is scheduled is told when it is written.
                let outcomes = WriteRecord.Outcome.allCases.filter { $0 != .scheduled }
                return Dictionary(
                    uniqueKeysWithValues: outcomes.map { outcome in
                        let dimensions = name.dimensions + [("outcome", outcome.rawValue)]
                        return (outcome, Counter(label: PipelineMetric.writes.rawValue, dimensions: dimensions, factory: factory))
                    })
            }, destroying: { for counter in $0.values { counter.destroy() } })
        evictions = MetricTable(
            { name in
                Counter(label: PipelineMetric.evictions.rawValue, dimensions: name.dimensions, factory: factory)
            }, destroying: { $0.destroy() })
        refreshes = MetricTable(
            { name in
                Dictionary(
                    uniqueKeysWithValues: FetchEnding.allCases.filter { $0 != .stale }.map { result in
                        let dimensions = [("pipeline", name.pipeline), ("outcome", result.rawValue)]
                        return (result, Counter(label: PipelineMetric.refreshes.rawValue, dimensions: dimensions, factory: factory))
                    })
            }, destroying: { for counter in $0.values { counter.destroy() } })
        feeds = MetricTable({ FeedMetrics($0, factory: factory) }, destroying: { $0.destroy() })
        sends = MetricTable({ SendMetrics($0.pipeline, factory: factory) }, destroying: { $0.destroy() })
        if let plan { show(plan) }
    }

    /// Counts the tiers of `plan` from now on, besides others; what has been counted stays.
    package func show(_ plan: Plan) {
        keep(.all)
        sends.keep(.all)
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
        for send in plan.sends { _ = sends[TierName(pipeline: send.name, source: "")] }
    }

    /// Forgets what `plan` does not have: pipelines, their tiers and feeds. What still happens there is not counted.
    package func showOnly(_ plan: Plan) {
        let names = plan.pipelines.flatMap { pipeline in
            (pipeline.tiers.map(\.source.name) + pipeline.feeds.map(\.source.name) + [""]).map {
                TierName(pipeline: pipeline.name, source: $0)
            }
        }
        sends.keep(.pipelines(Set(plan.sends.map(\.name))))
        // A cache may not know whose copy it evicted.
        keep(.tiers(Set(names + plan.sources.map { TierName(pipeline: "", source: $0.name) })))
    }

    /// Keeps what is counted of tiers.
    private func keep(_ names: MetricNames) {
        reads.keep(names)
        writes.keep(names)
        evictions.keep(names)
        refreshes.keep(names)
        feeds.keep(names)
    }

    /// Counts each event; to be given to `Pipelines`.
    public var observer: PipelineEvent.Observer {
        { event in count(event) }
    }

    private func count(_ event: PipelineEvent) {
        switch event {
        case .attempt(let attempt, let key):
            reads[TierName(pipeline: key.pipeline, source: attempt.source)]?.count(attempt)
        case .write(let record, let key):
            writes[TierName(pipeline: key.pipeline, source: record.source)]?[record.outcome]?.increment()
        case .eviction(let source, let key):
            evictions[TierName(pipeline: key?.pipeline ?? "", source: source)]?.increment()
        case .refresh(let outcome, _):
            // A refresh that could only give the old copy has failed.
            let ending = outcome.ending == .stale ? .failed : outcome.ending
            refreshes[TierName(pipeline: outcome.key.pipeline, source: "")]?[ending]?.increment()
        case .change(let event as FeedEvent, let source, let pipeline): feeds[TierName(pipeline: pipeline, source: source)]?.count(event)
        case .change(let event as SendEvent, _, let send): sends[TierName(pipeline: send, source: "")]?.count(event.status)
        case .fetch, .removal, .subscription, .change: break
        }
    }
}

/// The counters of the reads of one tier.
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

    func destroy() {
        for counter in [hits, misses, stale, errors, retries] { counter.destroy() }
        load.destroy()
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

/// The counters of one feed.
struct FeedMetrics {
    /// Keys by the state of their feed.
    private let states: [FeedStatus.State: Meter]
    private let messages: Counter
    private let skipped: Counter
    private let dropped: Counter
    private let reconnects: Counter
    private let syncs: Counter

    init(_ name: TierName, factory: any MetricsFactory) {
        func counter(_ metric: PipelineMetric) -> Counter {
            Counter(label: metric.rawValue, dimensions: name.dimensions, factory: factory)
        }
        messages = counter(.feedMessages)
        skipped = counter(.feedSkipped)
        dropped = counter(.feedDropped)
        reconnects = counter(.feedReconnects)
        syncs = counter(.feedSyncs)
        states = Dictionary(
            uniqueKeysWithValues: FeedStatus.State.allCases.filter { $0 != .off }.map { state in
                let dimensions = name.dimensions + [("state", state.rawValue)]
                let meter = Meter(label: PipelineMetric.feeds.rawValue, dimensions: dimensions, factory: factory)
                meter.set(0)
                return (state, meter)
            })
    }

    func destroy() {
        for counter in [messages, skipped, dropped, reconnects, syncs] { counter.destroy() }
        for meter in states.values { meter.destroy() }
    }

    func count(_ event: FeedEvent) {
        switch event {
        case .state(let status, let before):
            states[before]?.decrement()
            states[status.state]?.increment()
        case .messages(let count): messages.increment(by: count)
        case .skipped(let count, _): skipped.increment(by: count)
        case .dropped(let count, _): dropped.increment(by: count)
        case .reconnect: reconnects.increment()
        case .synced: syncs.increment()
        }
    }
}

/// The counters of one kind of send.
struct SendMetrics {
    private let outcomes: [SendState: Counter]
    private let tries: Counter
    /// From taking one in until it is sent.
    private let time: CoreMetrics.Timer

    init(_ name: String, factory: any MetricsFactory) {
        tries = Counter(label: PipelineMetric.sendTries.rawValue, dimensions: [("send", name)], factory: factory)
        time = CoreMetrics.Timer(
            label: PipelineMetric.sendTime.rawValue, dimensions: [("send", name)], preferredDisplayUnit: .seconds, factory: factory)
        outcomes = Dictionary(
            uniqueKeysWithValues: SendState.allCases.filter { $0 != .waiting && $0 != .sending }.map { state in
                let dimensions = [("send", name), ("outcome", state.rawValue)]
                return (state, Counter(label: PipelineMetric.sends.rawValue, dimensions: dimensions, factory: factory))
            })
    }

    func destroy() {
        tries.destroy()
        time.destroy()
        for counter in outcomes.values { counter.destroy() }
    }

    func count(_ status: SendStatus) {
        if status.state == .sending { tries.increment() }
        // One that is sent is told of once more when the caches have what it changed.
        guard !status.row.isSettled else { return }
        outcomes[status.state]?.increment()
        guard status.state == .sent, let end = status.row.ended else { return }
        // By the clock on the wall, as another process wrote it, it may have been taken in later than now.
        time.recordNanoseconds(max(.zero, end.duration(since: status.row.taken)).saturatedNanoseconds)
    }
}

/// The metrics of tiers, each made when it is first needed: making one may cost a backend much more than counting.
final class MetricTable<Metrics: Sendable>: Sendable {
    private struct State {
        var made: [TierName: Metrics] = [:]
        var kept = MetricNames.all
    }

    private let state = Mutex(State())
    private let make: @Sendable (TierName) -> Metrics
    private let destroy: @Sendable (Metrics) -> Void

    /// - Parameter destroy: has the backend forget metrics.
    init(_ make: @escaping @Sendable (TierName) -> Metrics, destroying destroy: @escaping @Sendable (Metrics) -> Void) {
        (self.make, self.destroy) = (make, destroy)
    }

    /// The metrics of a name; nil for a name that is not kept: what ends behind a reload has nothing any more that it could count for.
    subscript(name: TierName) -> Metrics? {
        let (known, isKept) = state.withLock { ($0.made[name], $0.kept.contains(name)) }
        if known != nil || !isKept { return known }
        // Outside of the lock, since it is the backend's code. Of two that are made at once all use the one that is kept.
        let metrics = make(name)
        let kept = state.withLock { state -> Metrics? in
            guard state.kept.contains(name) else { return nil }
            let kept = state.made[name] ?? metrics
            state.made[name] = kept
            return kept
        }
        if kept == nil { destroy(metrics) }
        return kept
    }

    /// Forgets all others, and takes up none of them.
    func keep(_ names: MetricNames) {
        let gone = state.withLock { state in
            state.kept = names
            let gone = state.made.filter { !names.contains($0.key) }
            for name in gone.keys { state.made[name] = nil }
            return gone
        }
        for metrics in gone.values { destroy(metrics) }
    }
}

/// The names that metrics are kept for.
enum MetricNames: Sendable {
    case all
    case tiers(Set<TierName>)
    /// The names of these pipelines, whatever the second name is, and of none.
    case pipelines(Set<String>)
    /// The names of which both are pipelines.
    case pairs(Set<String>)

    func contains(_ name: TierName) -> Bool {
        switch self {
        case .all: true
        case .tiers(let names): names.contains(name)
        case .pipelines(let names): name.pipeline.isEmpty || names.contains(name.pipeline)
        case .pairs(let names): names.contains(name.pipeline) && names.contains(name.source)
        }
    }
}

/// A source as a tier of a pipeline, which metrics are told apart by.
struct TierName: Hashable {
    /// Empty where it is not known.
    let pipeline: String
    let source: String

    var dimensions: [(String, String)] { [("pipeline", pipeline), ("source", source)] }
}
