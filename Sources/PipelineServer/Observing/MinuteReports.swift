package import Pipeline
import PipelineLive
private import Synchronization

/// Passes events on, for people: of what a feed skipped and of what it dropped the first at once, and then at most one event a minute, with the
/// count since the one before. All other events pass as they are.
package final class MinuteReports: Sendable {
    private struct Name: Hashable {
        let pipeline: String
        let source: String
        let isDropped: Bool
    }

    private struct Waiting {
        var count = 0
        var reason = ""
    }

    private static let minute = Duration.seconds(60)

    private let clock: PipelineClock
    private let tell: PipelineEvent.Observer
    /// The events within a minute of the last one that was passed on.
    private let waiting = Mutex<[Name: Waiting]>([:])

    package init(clock: PipelineClock = .system, _ tell: @escaping PipelineEvent.Observer) {
        (self.clock, self.tell) = (clock, tell)
    }

    /// Takes an event; to be given to ``Pipelines``.
    package func take(_ event: PipelineEvent) {
        guard case .change(let feed as FeedEvent, let source, let pipeline) = event else { return tell(event) }
        switch feed {
        case .skipped(let count, let reason):
            add(count, reason, to: Name(pipeline: pipeline, source: source, isDropped: false), event)
        case .dropped(let count, let reason):
            add(count, reason, to: Name(pipeline: pipeline, source: source, isDropped: true), event)
        case .state, .messages, .reconnect, .synced: tell(event)
        }
    }

    private func add(_ count: Int, _ reason: String, to name: Name, _ event: PipelineEvent) {
        let isFirst = waiting.withLock { waiting in
            guard waiting[name] == nil else {
                waiting[name]?.count += count
                waiting[name]?.reason = reason
                return false
            }
            waiting[name] = Waiting()
            return true
        }
        guard isFirst else { return }
        tell(event)
        setAlarm(for: name)
    }

    private func setAlarm(for name: Name) {
        _ = clock.alarms.set(at: clock.now + Self.minute) { [weak self] in self?.passMinute(of: name) }
    }

    private func passMinute(of name: Name) {
        let gathered = waiting.withLock { waiting in
            let gathered = waiting.removeValue(forKey: name).flatMap { $0.count > 0 ? $0 : nil }
            if gathered != nil { waiting[name] = Waiting() }
            return gathered
        }
        guard let gathered else { return }
        let event: FeedEvent =
            name.isDropped
            ? .dropped(gathered.count, reason: gathered.reason) : .skipped(gathered.count, reason: gathered.reason)
        tell(.feed(event, source: name.source, pipeline: name.pipeline))
        setAlarm(for: name)
    }
}
