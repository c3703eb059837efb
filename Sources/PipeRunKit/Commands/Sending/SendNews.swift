internal import Pipeline
internal import PipelineSending
private import Synchronization

/// The newest state of each send of which something is told.
final class SendNews: Sendable {
    private let known = Mutex<[String: SendStatus]>([:])
    private let tell: @Sendable (SendStatus) -> Void

    /// - Parameter tell: called with each new state.
    init(_ tell: @escaping @Sendable (SendStatus) -> Void = { _ in }) {
        self.tell = tell
    }

    /// Takes an event; to be given to ``Pipelines``.
    var take: PipelineEvent.Observer {
        { [self] event in
            guard case .change(let event as SendEvent, _, _) = event else { return }
            note(event.status)
            tell(event.status)
        }
    }

    /// Notes what is known of a send.
    func note(_ status: SendStatus) {
        // What is told on another thread may come late.
        known.withLock { known in
            if known[status.id]?.state.isDone != true || status.state.isDone { known[status.id] = status }
        }
    }

    /// The newest state of the send of an id; nil if nothing was told of it.
    func status(of id: String) -> SendStatus? { known.withLock { $0[id] } }
}
