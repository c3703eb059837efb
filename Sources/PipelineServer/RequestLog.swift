package import CoreMetrics
package import Logging
internal import NIOHTTP1
package import Pipeline
internal import PipelineConfig
internal import PipelineJSON
private import Synchronization

/// Counts the requests that were answered, and writes a line for each.
package final class RequestLog: Sendable {
    private struct Series: Hashable {
        let pipeline: String
        let status: UInt
    }

    private let logger: Logger?
    private let redactor: Redactor
    private let factory: any MetricsFactory
    private let counters = Mutex<[Series: Counter]>([:])
    private let timers = Mutex<[String: CoreMetrics.Timer]>([:])

    /// - Parameter logger: nil for no lines at all.
    package init(_ logger: Logger?, masking redactor: Redactor, factory: any MetricsFactory) {
        self.logger = logger
        self.redactor = redactor
        self.factory = factory
    }

    /// An answer ended, by its end or because the client did not want the rest of it. Counts its request unless it was counted before.
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
        counter(Series(pipeline: pipeline, status: reply.answer.status.code)).increment()
        guard let made = reply.made else { return }
        timer(pipeline).recordNanoseconds(made.duration(since: reply.since).saturatedNanoseconds)
    }

    private func counter(_ series: Series) -> Counter {
        if let counter = counters.withLock({ $0[series] }) { return counter }
        let dimensions = [("pipeline", series.pipeline), ("status", "\(series.status)")]
        let counter = Counter(label: PipelineMetric.requests.rawValue, dimensions: dimensions, factory: factory)
        counters.withLock { $0[series] = counter }
        return counter
    }

    private func timer(_ pipeline: String) -> CoreMetrics.Timer {
        if let timer = timers.withLock({ $0[pipeline] }) { return timer }
        let timer = CoreMetrics.Timer(
            label: PipelineMetric.requestTime.rawValue, dimensions: [("pipeline", pipeline)], preferredDisplayUnit: .seconds,
            factory: factory)
        timers.withLock { $0[pipeline] = timer }
        return timer
    }
}
