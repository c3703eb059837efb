import Synchronization

/// Calls back when a moment of a ``PipelineClock`` has come. For many short waits this is cheaper than a sleeping task for each.
package protocol Alarms: AnyObject, Sendable {
    /// Calls `ring` once when `moment` has come; soon, if it has come already, and never before this method returns.
    ///
    /// May be called under a lock, as ``cancel(_:)`` may: resumes and cancels no task before it returns.
    ///
    /// - Parameter ring: must not wait: it delays other alarms while it runs.
    func set(at moment: Timestamp, _ ring: @escaping @Sendable () -> Void) -> Alarm

    /// Cancels an alarm. One that is ringing now may go on; one that has rung is gone already.
    func cancel(_ alarm: Alarm)
}

/// An alarm that was set; needed to cancel it.
package struct Alarm: Hashable, Sendable {
    package let number: UInt64

    /// - Parameter number: differs from that of every other alarm of the same clock.
    package init(number: UInt64) {
        self.number = number
    }
}

/// Alarms over a clock that can only sleep: one task sleeps until the first of them.
///
/// A later alarm only adds an entry. When the first alarm is cancelled, the task sleeps on and wakes without effect, so that short waits in a
/// row do not start and cancel a task each.
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

    /// Whether a task sleeps, for tests.
    var isSleeping: Bool { state.withLock { $0.book.sleep != nil } }

    func set(at moment: Timestamp, _ ring: @escaping @Sendable () -> Void) -> Alarm {
        let (alarm, sleep) = state.withLock { $0.book.set(ring, at: moment) }
        if let sleep { start(sleep) }
        return alarm
    }

    func cancel(_ alarm: Alarm) {
        // What only the alarm held is released outside the lock.
        _ = state.withLock { $0.book.cancel(alarm) }
    }

    private func start(_ sleep: Book.Sleep) {
        // Ends when no alarm is set any more; cancelled when a sleep that ends earlier takes its place. The priority is high because other
        // alarms may be more urgent than the first caller's.
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
            // The sleep may have ended, or another may have taken its place.
            guard state.book.sleep?.number == sleep.number else { return task }
            defer { state.sleeper = task }
            return state.sleeper
        }
        // Ends at once. A task, since the caller may hold a lock.
        if let needless { Task { needless.cancel() } }
    }

    /// Rings what is due; returns until when to go on sleeping.
    private func wake(_ number: UInt64) -> Timestamp? {
        let present = now()
        let (due, next) = state.withLock { $0.book.wake(number, at: present) }
        for ring in due { ring() }
        return next
    }
}
