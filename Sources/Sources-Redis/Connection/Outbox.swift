import Synchronization

/// The commands of one connection on their way to the event loop: those that come before its turn are taken there, and sent, together.
final class Outbox: Sendable {
    private let requests = Mutex<[Request]>([])

    /// Adds a request behind the others; true for the first, with which the event loop is to be told.
    func add(_ request: Request) -> Bool {
        requests.withLock { requests in
            requests.append(request)
            return requests.count == 1
        }
    }

    func takeAll() -> [Request] {
        requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }
}
