package import CoreMetrics
package import Logging
internal import NIOHTTP1
package import Pipeline
internal import PipelineConfig
internal import PipelineJSON

/// Counts the requests that were answered, and writes a line for each.
package final class RequestLog: Sendable {
    private let logger: Logger?
    private let redactor: Redactor
    /// The counters by pipeline and status.
    private let counters: MetricTable<Counter>
    /// The timers by pipeline.
    private let timers: MetricTable<CoreMetrics.Timer>

    /// - Parameters:
    ///   - logger: nil for no lines at all.
    ///   - served: the pipelines that are counted; nil for all that there ever are.
    package init(_ logger: Logger?, masking redactor: Redactor, factory: any MetricsFactory, of served: ServedPipelines? = nil) {
        self.logger = logger
        self.redactor = redactor
        let counters = MetricTable(
            { name in
                let dimensions = [("pipeline", name.pipeline), ("status", name.source)]
                return Counter(label: PipelineMetric.requests.rawValue, dimensions: dimensions, factory: factory)
            }, destroying: { $0.destroy() })
        let timers = MetricTable(
            { name in
                CoreMetrics.Timer(
                    label: PipelineMetric.requestTime.rawValue, dimensions: [("pipeline", name.pipeline)], preferredDisplayUnit: .seconds,
                    factory: factory)
            }, destroying: { $0.destroy() })
        (self.counters, self.timers) = (counters, timers)
        served?.follow { names in
            counters.keep(names.map(MetricNames.pipelines) ?? .all)
            timers.keep(names.map(MetricNames.pipelines) ?? .all)
        }
    }

    /// Notes an answer that ended, by its end or because the client did not want the rest of it. Counts its request unless it was counted
    /// before.
    func note(_ reply: Reply, client: String?, until now: Timestamp, isComplete: Bool = true) {
        if !reply.isCounted { count(reply) }
        guard let logger else { return }
        let isOfServer = if case .server = reply.answer.subject { true } else { false }
        logger.log(
            level: isOfServer ? .debug : .info, "request", metadata: metadata(of: reply, client: client, until: now, isComplete))
    }

    private func metadata(of reply: Reply, client: String?, until now: Timestamp, _ isComplete: Bool) -> Logger.Metadata {
        var values: [(String, String?)] = [
            ("client", client), ("status", "\(reply.answer.status.code)"), ("bytes", "\(reply.sent)"),
            ("ms", JSONText.milliseconds(now.duration(since: reply.since).milliseconds).text),
            ("method", reply.request?.method.rawValue), ("target", reply.request.map { redactor.redacted($0.target).cut }),
            ("reason", reply.answer.refusal.map { redactor.redacted($0).cut }),
        ]
        // A stream ends when its client leaves.
        if !isComplete, reply.answer.stream == nil { values.append(("outcome", reply.made == nil ? "left" : "cut off")) }
        var metadata: Logger.Metadata = [:]
        for (name, value) in values { metadata[name] = value.map { .string($0.printable) } }
        return metadata
    }

    func count(_ reply: Reply) {
        let pipeline: String
        switch reply.answer.subject {
        case .server: return
        case .pipeline(let name): pipeline = name
        case .unknown: pipeline = ""
        }
        // A pipeline that a reload took away meanwhile is an unknown one.
        func metrics<Metrics>(_ table: MetricTable<Metrics>, _ source: String) -> Metrics? {
            table[TierName(pipeline: pipeline, source: source)] ?? table[TierName(pipeline: "", source: source)]
        }
        metrics(counters, "\(reply.answer.status.code)")?.increment()
        guard let made = reply.made else { return }
        metrics(timers, "")?.recordNanoseconds(made.duration(since: reply.since).saturatedNanoseconds)
    }
}
