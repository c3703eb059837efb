internal import Pipeline
import PipelineLive
import PipelineSending
private import Synchronization

/// The engine's events of one process, until a step has ended.
final class EventCollector: Sendable {
    enum Event: Sendable {
        case attempt(Attempt, key: Key)
        case write(WriteRecord, key: Key)
        case refresh(Outcome)
        case eviction(source: String, key: Key?)
        case feed(FeedEvent, source: String)
        case request(SentRequest)
        case send(SendStatus)
    }

    private struct State {
        var events: [(time: Int64, event: Event)] = []
        /// The sends as they were told of last, by their ids.
        var sends: [String: SendStatus] = [:]
    }

    private let state = Mutex(State())
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
            case .change(let event as SendEvent, _, _): add(event.status)
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

    private func add(_ send: SendStatus) {
        state.withLock { $0.sends[send.id] = send }
        add(.send(send))
    }

    func add(_ event: Event) {
        guard !access.hasEnded else { return }
        let time = access.elapsed
        state.withLock { $0.events.append((time, event)) }
    }

    /// The send of an id, as the process told of it last; nil if it has not.
    func send(_ id: String) -> SendStatus? { state.withLock { $0.sends[id] } }

    /// Takes the events since the last call, in order.
    func take() -> [(time: Int64, event: Event)] {
        state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }
}
