import Synchronization

/// Alarms over a clock that can only sleep: one task sleeps until the first of them.
///
/// An alarm later than that costs no more than a note. When it is cancelled, the task sleeps on and wakes in vain, so that those who
/// wait one after the other do not have a task started and cancelled each.
final class AlarmClock: Alarms {
    private typealias Book = AlarmBook<@Sendable () -> Void>

    private struct State {
        var book = Book()
        var sleeper: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Timestamp
    private let sleeping: @Sendable (Duration) async throws -> Void

    init(now: @escaping @Sendable () -> Timestamp, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.now = now
        sleeping = sleep
    }

    /// How many alarms are set, for tests.
    var count: Int { state.withLock(\.book.count) }

    /// How much is kept for them, for tests.
    var size: Int { state.withLock(\.book.size) }

    /// Whether somebody sleeps, for tests.
    var isSleeping: Bool { state.withLock { $0.book.sleep != nil } }

    func set(at moment: Timestamp, _ ring: @escaping @Sendable () -> Void) -> Alarm {
        let (alarm, sleep) = state.withLock { $0.book.set(ring, at: moment) }
        if let sleep { start(sleep) }
        return alarm
    }

    func cancel(_ alarm: Alarm) {
        // What only the alarm held is let go of outside the lock.
        _ = state.withLock { $0.book.cancel(alarm) }
    }

    private func start(_ sleep: Book.Sleep) {
        // Ends when nothing is set any more; cancelled when one that wakes earlier takes its place. Whoever set the first alarm may be
        // in no hurry, and others are.
        let task = Task(priority: .high) {
            var next: Timestamp? = sleep.until
            while let moment = next {
                do {
                    try await sleeping(moment.duration(since: now()))
                    next = wake(sleep.number)
                } catch {
                    return state.withLock { $0.book.fail(sleep.number) }
                }
            }
        }
        let needless = state.withLock { state -> Task<Void, Never>? in
            // It may have ended, or another may have taken its place.
            guard state.book.sleep?.number == sleep.number else { return task }
            defer { state.sleeper = task }
            return state.sleeper
        }
        needless?.cancel()
    }

    /// Rings what is due; gives until when to go on sleeping.
    private func wake(_ number: UInt64) -> Timestamp? {
        let present = now()
        let (due, next) = state.withLock { $0.book.wake(number, at: present) }
        for ring in due { ring() }
        return next
    }
}
