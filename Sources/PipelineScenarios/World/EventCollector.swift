internal import Pipeline
import PipelineLive
private import Synchronization

/// The engine's events of one process, until a step has ended.
final class EventCollector: Sendable {
    enum Event: Sendable {
        case attempt(Attempt, key: Key)
        case write(WriteRecord, key: Key)
        case refresh(Outcome)
        case eviction(source: String, key: Key?)
        case feed(FeedEvent, source: String)
    }

    private let state = Mutex<[(time: Int64, event: Event)]>([])
    private let access: ScriptedAccess

    init(_ access: ScriptedAccess) {
        self.access = access
    }

    var observer: PipelineEvent.Observer {
        { [self] event in
            switch event {
            case .attempt(let attempt, let key): add(.attempt(attempt, key: key))
            case .write(let record, let key): add(.write(record, key: key))
            case .refresh(let outcome, _): add(.refresh(outcome))
            case .eviction(let source, let key): add(.eviction(source: source, key: key))
            case .change(let event as FeedEvent, let source, _): add(event, of: source)
            case .fetch, .removal, .subscription, .change: break
            }
        }
    }

    /// Messages are steps, and a connection that is tried again says what came of it.
    private func add(_ event: FeedEvent, of source: String) {
        switch event {
        case .messages, .reconnect: break
        default: add(.feed(event, source: source))
        }
    }

    func add(_ event: Event) {
        guard !access.hasEnded else { return }
        let time = access.elapsed
        state.withLock { $0.append((time, event)) }
    }

    /// Takes the events since the last call, in order.
    func take() -> [(time: Int64, event: Event)] {
        state.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
