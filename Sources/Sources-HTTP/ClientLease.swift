import AsyncHTTPClient
import Pipeline
import Synchronization

/// One source's use of a shared client: taken at the first request, given back once.
final class ClientLease: Sendable {
    private enum State {
        case unused
        case taken(HTTPClient)
        case closed
    }

    private let limit: Int
    private let state = Mutex(State.unused)

    init(limit: Int) {
        self.limit = limit
    }

    /// The client; throws when the lease was closed.
    func client() throws -> HTTPClient {
        try state.withLock { state in
            switch state {
            case .taken(let client): return client
            case .closed: throw SourceError("the source is closed")
            case .unused:
                let client = SharedClients.process.take(limit: limit)
                state = .taken(client)
                return client
            }
        }
    }

    var isClosed: Bool {
        state.withLock { if case .closed = $0 { true } else { false } }
    }

    /// Gives the client back. Closing again does nothing.
    func close() async {
        let isTaken = state.withLock { state in
            defer { state = .closed }
            return if case .taken = state { true } else { false }
        }
        if isTaken { await SharedClients.process.giveBack(limit: limit) }
    }
}
