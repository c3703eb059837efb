internal import Pipeline
import Synchronization

/// The commands of one connection on their way to the event loop: those that come before its turn are taken there, and sent, together.
final class Outbox: Sendable {
    private let requests = Mutex<[Request]>([])

    /// Adds a request behind the others.
    func add(_ request: Request) {
        requests.withLock { $0.append(request) }
    }

    /// Takes those that have come, in their order.
    func takeAll() -> [Request] {
        requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }
}
