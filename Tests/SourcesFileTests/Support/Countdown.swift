import Pipeline
import Synchronization

/// Counts calls down to zero.
final class Countdown: Sendable {
    private let rest: Mutex<Int>

    init(_ count: Int) {
        rest = Mutex(count)
    }

    /// Whether this is one of the first calls, as many as the count.
    func isOneOfTheFirst() -> Bool {
        rest.withLock { rest in
            rest -= 1
            return rest >= 0
        }
    }
}
