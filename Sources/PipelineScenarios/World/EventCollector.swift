internal import Pipeline
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
            // Messages are steps, and a connection that is tried again says what came of it.
            case .feed(.messages, _, _), .feed(.reconnect, _, _): break
            case .feed(let event, let source, _): add(.feed(event, source: source))
            case .fetch, .removal, .subscription: break
            }
        }
    }

    func add(_ event: Event) {
        guard !access.hasEnded else { return }
        let time = access.elapsed
        state.withLock { $0.append((time, event)) }
    }

    /// What has happened since the last call, in order.
    func take() -> [(time: Int64, event: Event)] {
        state.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
