public import Logging
public import Pipeline
internal import PipelineConfig
internal import PipelineJSON
import PipelineLive
import PipelineSending

/// Writes what happens in pipelines to a logger, for any backend of swift-log.
///
/// ```swift
/// let log = PipelineLog(Logger(label: "pipelines"), masking: report.redactor)
/// let pipelines = try Pipelines(report, observers: [log.observer])
/// ```
///
/// What failed is a warning, and so are a send that is held and an outbox that cannot be opened; a removal, the end of a refusal and a write
/// that failed before are a notice, other states of sends `info`, all else `debug`. The messages are constant; what they are about is metadata:
/// `pipeline`, `key`, `source`, `outcome`, `reason`, `detail`, `ms`; of a send `source`, `send`, `id`, `state`, `reason`. Payloads are not in
/// it, and secrets are masked. Keys are, with the values of their parameters. Control characters in values become `\u{FFFD}`, and a value is
/// cut after 1,024 characters. What feeds skip and drop is written at once, and then once a minute with its count.
public struct PipelineLog: Sendable {
    private let reports: MinuteReports

    /// Makes an observer that writes to `logger`, whose level decides what is written; an event below it costs next to nothing.
    ///
    /// - Parameters:
    ///   - redactor: masks secrets in keys, into which one comes as the default of a parameter: `report.redactor`.
    ///   - clock: by which skipped messages are written at most once a minute.
    public init(_ logger: Logger, masking redactor: Redactor = Redactor(), clock: PipelineClock = .system) {
        reports = MinuteReports(clock: clock) { event in
            logger.log(level: event.level, event.message, metadata: event.metadata(redactor))
        }
    }

    /// Writes each event; to be given to `Pipelines`.
    public var observer: PipelineEvent.Observer {
        { [reports] event in reports.take(event) }
    }
}

extension PipelineEvent {
    fileprivate var level: Logger.Level {
        switch self {
        case .attempt(let attempt, _):
            switch attempt.outcome {
            case .error, .invalid, .timeout: .warning
            case .hit, .stale, .expired, .miss, .notFound, .skipped: .debug
            }
        case .fetch: .debug
        case .refresh(let outcome, _): outcome.ending == .failed ? .warning : .debug
        case .write(let record, _): record.outcome == .failed ? .warning : record.isRecovery ? .notice : .debug
        case .removal(let report, _, _): report.isComplete ? .notice : .warning
        case .eviction: .debug
        case .subscription(_, let failure): failure == nil ? .notice : .warning
        case .change(let event as SendEvent, _, _): event.level
        case .change(let event as OutboxEvent, _, _): event.problem == nil ? .notice : .warning
        case .change(let event, _, _): (event as? FeedEvent)?.level ?? .debug
        }
    }

    fileprivate var message: Logger.Message {
        switch self {
        case .attempt: "attempt"
        case .fetch: "fetch"
        case .refresh: "refresh"
        case .write: "write"
        case .removal: "removal"
        case .eviction: "eviction"
        case .subscription: "subscription"
        case .change(_ as SendEvent, _, _): "send"
        case .change(_ as OutboxEvent, _, _): "outbox"
        case .change: "feed"
        }
    }

    fileprivate func metadata(_ redactor: Redactor) -> Logger.Metadata {
        let values: [(String, String?)] =
            switch self {
            case .attempt(let attempt, let key):
                [
                    ("key", key.text), ("source", attempt.source), ("outcome", attempt.outcome.rawValue), ("reason", attempt.reason),
                    ("detail", attempt.detail), ("ms", attempt.duration.milliseconds.inLog),
                ]
            case .fetch(let outcome, let duration), .refresh(let outcome, let duration):
                [
                    ("key", outcome.key.text), ("source", outcome.source), ("outcome", outcome.ending.rawValue),
                    ("reason", outcome.error?.description), ("ms", duration.milliseconds.inLog),
                ]
            case .write(let record, let key):
                [("key", key.text), ("source", record.source), ("outcome", record.outcome.rawValue), ("reason", record.reason)]
            case .removal(let report, _, let key):
                [
                    ("key", key?.text), ("source", report.lines.map(\.source).joined(separator: ", ")),
                    ("outcome", report.isComplete ? "removed" : "failed"), ("reason", report.failures),
                ]
            case .eviction(let source, let key): [("key", key?.text), ("source", source)]
            case .subscription(let source, let failure):
                [("source", source), ("outcome", failure == nil ? "began" : "refused"), ("reason", failure)]
            // A send has its name in the place of a pipeline's.
            case .change(let event as SendEvent, let source, let send):
                [("pipeline", nil), ("source", source), ("send", send)] + event.inLog
            case .change(let event as OutboxEvent, let source, _):
                [
                    ("pipeline", nil), ("source", source), ("outcome", event.problem == nil ? "opened" : "failed"),
                    ("reason", event.problem),
                ]
            case .change(let event, let source, _): [("source", source)] + ((event as? FeedEvent)?.inLog ?? [])
            }
        var metadata: Logger.Metadata = [:]
        for (name, value) in [("pipeline", pipeline)] + values {
            // Keys, and reasons that name them, may be long.
            metadata[name] = value.map { .string(redactor.redacted($0).cut(to: 1_024).printable) }
        }
        return metadata
    }
}

extension FeedEvent {
    fileprivate var level: Logger.Level {
        switch self {
        case .state(let status, _): [.down, .refused].contains(status.state) ? .warning : status.state == .ended ? .notice : .debug
        case .skipped: .warning
        case .messages, .reconnect, .synced, .dropped: .debug
        }
    }

    fileprivate var inLog: [(String, String?)] {
        switch self {
        case .state(let status, _):
            [("outcome", status.state.rawValue), ("reason", status.reason), ("ms", status.pause?.milliseconds.inLog)]
        case .messages(let count): [("outcome", "messages"), ("count", "\(count)")]
        case .skipped(let count, let reason): [("outcome", "skipped"), ("count", "\(count)"), ("reason", reason)]
        case .reconnect: [("outcome", "reconnect")]
        case .synced: [("outcome", "synced")]
        case .dropped(let count, let reason): [("outcome", "dropped"), ("count", "\(count)"), ("reason", reason)]
        }
    }
}

extension SendEvent {
    fileprivate var level: Logger.Level {
        switch status.state {
        case .held, .failed: .warning
        case .waiting, .sending, .sent, .dropped, .merged: .info
        }
    }

    fileprivate var inLog: [(String, String?)] {
        [("id", status.id), ("state", status.state.rawValue), ("reason", status.reason)]
    }
}

extension RemovalReport {
    /// The caches that have not forgotten, with why; nil if all have.
    fileprivate var failures: String? {
        let failures = lines.compactMap { line in line.failure.map { "\(line.source): \($0)" } }
        return failures.isEmpty ? nil : failures.joined(separator: "; ")
    }
}

extension Double {
    fileprivate var inLog: String { JSONText.milliseconds(self).text }
}
