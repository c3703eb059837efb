public import Pipeline

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
    /// The clock to hand out. It is always the same one, so that all its users share one time line.
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

    /// The present on the time line of copies: ``PipelineClock/now``.
    public var now: Timestamp { clock.now }

    /// How many tasks and time limits wait for time to pass. One that was woken or cancelled no longer counts, even before it has run.
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
