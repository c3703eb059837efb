package import CoreMetrics
package import Pipeline
import PipelineComposing

/// The metrics of pipelines, by the names under which a backend gets them.
enum PipelineMetric: String, CaseIterable {
    case hits = "pipe_run_hits_total"
    case misses = "pipe_run_misses_total"
    case stale = "pipe_run_stale_total"
    case errors = "pipe_run_errors_total"
    case writes = "pipe_run_writes_total"
    case evictions = "pipe_run_evictions_total"
    case load = "pipe_run_load_seconds"
    case retries = "pipe_run_retries_total"
    case refreshes = "pipe_run_refreshes_total"
    case requests = "pipe_run_requests_total"
    case requestTime = "pipe_run_request_seconds"
    case degradedParts = "pipe_run_degraded_parts_total"
    case missingTargets = "pipe_run_missing_targets_total"
    case loadsUnderWay = "pipe_run_loads_under_way"
    case circuitState = "pipe_run_circuit_state"
    case originLimit = "pipe_run_origin_limit"
    case originUnderWay = "pipe_run_origin_requests_under_way"
    case originWaiting = "pipe_run_origin_requests_waiting"
    case originRest = "pipe_run_origin_rest_seconds"
    case sourceRest = "pipe_run_origin_source_rest_seconds"
    case originTime = "pipe_run_origin_response_seconds"
    case originErrors = "pipe_run_origin_error_ratio"
    case originBudget = "pipe_run_origin_retry_budget"
    case originHedges = "pipe_run_origin_hedges"
    case feeds = "pipe_run_feeds"
    case feedMessages = "pipe_run_feed_messages_total"
    case feedSkipped = "pipe_run_feed_skipped_total"
    case feedDropped = "pipe_run_feed_dropped_total"
    case feedReconnects = "pipe_run_feed_reconnects_total"
    case feedSyncs = "pipe_run_feed_syncs_total"
    case sends = "pipe_run_sends_total"
    case sendTries = "pipe_run_send_tries_total"
    case sendTime = "pipe_run_send_seconds"
    case outboxSends = "pipe_run_outbox_sends"
    case outboxBytes = "pipe_run_outbox_bytes"
    case outboxAge = "pipe_run_outbox_oldest_seconds"
    case reloadSuccess = "pipe_run_config_reload_success"
    case reloadTime = "pipe_run_config_reload_timestamp_seconds"
    case reloads = "pipe_run_config_reloads_total"
    case build = "pipe_run_build_info"

    /// The meaning of the metric, for people.
    var help: String {
        switch self {
        case .hits: "Reads that a tier answered with a fresh value, or with its knowledge that there is none."
        case .misses: "Reads for which a tier had no copy, or one that is no longer fresh."
        case .stale: "Reads that a tier answered with an expired copy within a stale window."
        case .errors: "Reads that failed, ran out of time, or gave what cannot be used."
        case .writes: "Writes to a cache that ended, or were not made, by outcome."
        case .evictions: "Copies that a cache evicted to keep within its bounds; the pipeline is empty where the cache does not know it."
        case .load: "How long a tier took to answer; an answer from memory that nothing waited for counts as no time."
        case .retries: "How often a tier was tried again within a load."
        case .refreshes: "Refreshes in the background that ended, by outcome."
        case .requests:
            "Requests of clients that were answered, by status; 499 for a client that left first. The pipeline is empty for unknown ones."
        case .requestTime: "How long it took until the answer to a client was made."
        case .degradedParts: "Failed parts that made an answer to a client incomplete, by the pipeline of the part."
        case .missingTargets: "Missing targets of followed links, in answers to clients, by the pipeline of the target."
        case .loadsUnderWay: "Loads that run at this moment."
        case .circuitState: "The circuit of a tier: 0 closed, 1 half open, 2 open."
        case .originLimit: "How many requests to an origin may be under way at once."
        case .originUnderWay: "Requests to an origin that are under way."
        case .originWaiting: "Requests that wait until an origin may be asked."
        case .originRest: "How long an origin still rests as a whole, because it asked for a pause or refused; 0 when it does not."
        case .sourceRest: "How long a source still rests at an origin with some of its credentials; no series when it does not."
        case .originTime: "Median and 95th percentile of the last times from a permit to the end of an answer of an origin."
        case .originErrors: "The share of failures among the last requests to an origin."
        case .originBudget: "How many retries and second requests an origin's budget allows at this moment."
        case .originHedges: "Second requests to an origin since it is asked: sent, and those that were faster than the first."
        case .feeds: "Keys whose feed is in this state; no key is counted that has no observer."
        case .feedMessages: "Messages of a change source that came."
        case .feedSkipped: "Messages of a change source that could not be used."
        case .feedDropped: "Changes that were dropped: there was no copy to merge them into, or too many waited for a load."
        case .feedReconnects: "Connections of a change source that were made again after one had ended."
        case .feedSyncs: "Loads after a connection, by which a value is that of the server again."
        case .sends: "Sends that this process brought to an end, or that are held for a person, by outcome."
        case .sendTries: "Tries of sends by this process."
        case .sendTime: "How long it took from taking a send in until it was sent, by this process."
        case .outboxSends: "Sends that are not done, or have failed, by state."
        case .outboxBytes: "Bytes of the payloads of sends that are not done, or have failed."
        case .outboxAge: "The age of the oldest send that waits or is being sent; 0 when there is none."
        case .reloadSuccess: "Whether the configuration could be used when it was last read: 1, or 0 while an earlier one goes on."
        case .reloadTime: "When the configuration was last read again and could be used, in seconds since 1970."
        case .reloads: "How often the configuration was read again, by outcome."
        case .build: "Always 1, with the version of the program."
        }
    }
}

/// Counts what answers to clients lack: parts of composites that failed, and targets of followed links that are not there.
struct LackMetrics: Sendable {
    /// The counters by the pipeline of the answer; the source is the pipeline of the part.
    private let degraded: MetricTable<Counter>
    private let missing: MetricTable<Counter>

    init(factory: any MetricsFactory) {
        func table(_ metric: PipelineMetric) -> MetricTable<Counter> {
            MetricTable(
                { name in
                    let dimensions = [("pipeline", name.pipeline), ("part", name.source)]
                    return Counter(label: metric.rawValue, dimensions: dimensions, factory: factory)
                }, destroying: { $0.destroy() })
        }
        degraded = table(.degradedParts)
        missing = table(.missingTargets)
    }

    /// Forgets pipelines that are not among `names`; nil keeps all.
    func keep(_ names: Set<String>?) {
        for table in [degraded, missing] { table.keep(names.map(MetricNames.pairs) ?? .all) }
    }

    func count(_ outcome: Outcome) {
        let pipeline = outcome.key.pipeline
        // Where there is no value, nothing lacks a part, also one that had failed before that was certain.
        if case .notFound = outcome.result { return }
        for part in outcome.parts where part.isDegraded { degraded[TierName(pipeline: pipeline, source: part.pipeline)]?.increment() }
        for target in outcome.missing { missing[TierName(pipeline: pipeline, source: target.pipeline)]?.increment() }
    }
}

/// Tells how the configuration was last read again. Each metric appears with the first time.
package struct ReloadMetrics: Sendable {
    private let factory: any MetricsFactory

    package init(factory: any MetricsFactory) {
        self.factory = factory
    }

    /// Notes that the configuration was read again at `now`, by the clock on the wall; nil if it cannot be used.
    package func note(_ now: Timestamp?) {
        let dimensions = [("outcome", now == nil ? "failed" : "success")]
        Counter(label: PipelineMetric.reloads.rawValue, dimensions: dimensions, factory: factory).increment()
        Gauge(label: PipelineMetric.reloadSuccess.rawValue, dimensions: [], factory: factory).record(now == nil ? 0 : 1)
        guard let now else { return }
        Gauge(label: PipelineMetric.reloadTime.rawValue, dimensions: [], factory: factory).record(Double(now.nanoseconds) / 1e9)
    }
}
