public import Pipeline
import Synchronization

/// A clock that stands still until a test moves it. Nothing in it takes real time.
///
/// ```swift
/// let time = ManualClock()
/// let timer = Task { try await time.clock.sleep(for: .seconds(30)) }
/// await time.sleepers(atLeast: 1)
/// time.advance(by: .seconds(30))
/// try await timer.value
/// ```
public final class ManualClock: Sendable {
    /// The clock to hand out, always the same one, so that all its users share one time line.
    public let clock: PipelineClock
    private let timeline: ManualTimeline

    /// A clock whose wall shows `wall`: 2026-01-01T00:00:00Z unless told otherwise.
    public init(wall: Timestamp = Timestamp(nanoseconds: 1_767_225_600_000_000_000)) {
        let timeline = ManualTimeline(wall: wall)
        self.timeline = timeline
        clock = PipelineClock(
            wall: { timeline.wall },
            monotonic: { timeline.monotonic },
            sleep: { try await timeline.sleep(for: $0) },
            alarms: timeline
        )
    }

    /// The present on the time line of copies: `PipelineClock.now`.
    public var now: Timestamp { clock.now }

    /// The number of tasks and time limits that wait for time to pass. One that was woken or cancelled no longer counts, even before it has
    /// run.
    public var sleeperCount: Int { timeline.waiterCount }

    /// Moves both clocks forward and wakes the sleepers that are due, the earliest deadline first.
    ///
    /// Every woken task sees the time moved to. A task that sleeps again counts from there: move a loop on by one step
    /// at a time, with ``sleepers(atLeast:)`` in between. Time does not go backwards: `duration` must not be negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "a manual clock advances by zero or more")
        timeline.advance(by: duration)
    }

    /// Steps the wall clock alone, forwards or backwards, as setting the machine's clock does. Wakes no sleeper.
    public func stepWall(by duration: Duration) {
        timeline.stepWall(by: duration)
    }

    /// Returns when at least `count` wait for time to pass at the same time, as ``sleeperCount`` counts, or when the calling task is
    /// cancelled.
    public func sleepers(atLeast count: Int) async {
        await timeline.waiters(atLeast: count)
    }
}

/// The moving parts of a ``ManualClock``, apart from it so that its closures can hold them.
final class ManualTimeline: Alarms {
    /// A task that sleeps, or an alarm.
    private struct Waiter {
        let deadline: Duration
        let wake: @Sendable () -> Void
    }

    private struct State {
        var wall: Timestamp
        var monotonic = ManualTimeline.begin
        var waiters: [UInt64: Waiter] = [:]
        var arrivals: UInt64 = 0
        var observers = CountObservers()

        mutating func add(_ waiter: Waiter) -> (number: UInt64, reached: [WaitingTask]) {
            arrivals += 1
            waiters[arrivals] = waiter
            return (arrivals, observers.reached(waiters.count))
        }

        mutating func advance(by duration: Duration) -> [Waiter] {
            monotonic += duration
            wall = wall + duration
            let due = waiters.filter { $0.value.deadline <= monotonic }
                .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            for (number, _) in due { waiters[number] = nil }
            return due.map(\.value)
        }
    }

    // Not zero, so that a mix-up of the monotonic clock with a duration shows.
    private static let begin = Duration.seconds(1_000)

    private let state: Mutex<State>
    /// The moment at which `PipelineClock.now` begins.
    private let start: Timestamp

    init(wall: Timestamp) {
        state = Mutex(State(wall: wall))
        start = wall
    }

    var wall: Timestamp { state.withLock(\.wall) }

    var monotonic: Duration { state.withLock(\.monotonic) }

    var waiterCount: Int { state.withLock(\.waiters.count) }

    func advance(by duration: Duration) {
        for waiter in state.withLock({ $0.advance(by: duration) }) { waiter.wake() }
    }

    func stepWall(by duration: Duration) {
        state.withLock { $0.wall = $0.wall + duration }
    }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let waiter = WaitingTask()
        let (number, reached) = state.withLock { $0.add(Waiter(deadline: $0.monotonic + duration) { waiter.admit() }) }
        reached.admit()
        try await waiter.wait {
            state.withLock { _ = $0.waiters.removeValue(forKey: number) }
        }
    }

    func waiters(atLeast count: Int) async {
        let waiter = WaitingTask()
        state.withLock { $0.observers.add(waiter, waitingFor: count, present: $0.waiters.count) }
        try? await waiter.wait {
            state.withLock { $0.observers.remove(waiter) }
        }
    }
}

extension ManualTimeline {
    func set(at moment: Timestamp, _ ring: @escaping @Sendable () -> Void) -> Alarm {
        let deadline = Self.begin + moment.duration(since: start)
        let (number, reached) = state.withLock { state -> (UInt64?, [WaitingTask]) in
            if deadline <= state.monotonic { return (nil, []) }
            return state.add(Waiter(deadline: deadline, wake: ring))
        }
        // Ends at once. A task, since the caller may hold a lock.
        if !reached.isEmpty { Task { reached.admit() } }
        // Ends at once. A task, since `ring` must not be called before this returns.
        if number == nil { Task { ring() } }
        return Alarm(number: number ?? 0)
    }

    func cancel(_ alarm: Alarm) {
        // What only the alarm held is released outside the lock.
        _ = state.withLock { $0.waiters.removeValue(forKey: alarm.number) }
    }
}
