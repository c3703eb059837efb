/// The only place that time comes from: wall time, monotonic time, and sleep.
///
/// `now` is the time line on which copies age: it starts at the wall clock's time when the clock was made and then
/// follows the monotonic clock, so that a step of the wall clock neither revives nor kills a copy in this process. What leaves the process
/// has wall times: ``stored(_:)`` and ``restored(_:)`` translate.
public struct PipelineClock: Sendable {
    /// The wall clock; it may step.
    package let wall: @Sendable () -> Timestamp
    /// Time since an arbitrary start; never steps, and goes on while the machine sleeps.
    package let monotonic: @Sendable () -> Duration
    private let sleeping: @Sendable (Duration) async throws -> Void
    /// Nanoseconds of ``now``: a hit in memory reads the time, and a `Duration` on the way would be half its cost.
    private let reading: @Sendable () -> Int64
    /// Nanoseconds of ``recent``.
    private let estimating: @Sendable () -> Int64
    private let correction = WallCorrection()
    /// The alarms of everything that waits on this clock.
    package let alarms: any Alarms

    /// A clock from its three parts.
    ///
    /// `sleep` throws `CancellationError` when its task is cancelled, and returns at once for a duration of zero or less.
    public init(
        wall: @escaping @Sendable () -> Timestamp,
        monotonic: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.init(wall: wall, monotonic: monotonic, sleep: sleep, alarms: nil)
    }

    /// - Parameter alarms: rings on the time line of ``now``; nil for alarms that go by `sleep`.
    package init(
        wall: @escaping @Sendable () -> Timestamp,
        monotonic: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        alarms: (any Alarms)?
    ) {
        self.wall = wall
        self.monotonic = monotonic
        self.sleeping = sleep
        let start = wall() - monotonic()
        let reading: @Sendable () -> Int64 = { (start + monotonic()).nanoseconds }
        self.reading = reading
        estimating = reading
        self.alarms = alarms ?? AlarmClock(now: { Timestamp(nanoseconds: reading()) }, sleep: sleep)
    }

    /// A clock whose monotonic part counts nanoseconds. `reading` and `estimating` make, from the start of the time line, what reads the
    /// present, and what reads ``recent``.
    init(
        wall: @escaping @Sendable () -> Timestamp, monotonicNanoseconds: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void, reading: (Int64) -> @Sendable () -> Int64,
        estimating: (Int64) -> @Sendable () -> Int64
    ) {
        self.wall = wall
        self.monotonic = { .nanoseconds(monotonicNanoseconds()) }
        self.sleeping = sleep
        let start = wall().nanoseconds - monotonicNanoseconds()
        let reading = reading(start)
        self.reading = reading
        self.estimating = estimating(start)
        alarms = AlarmClock(now: { Timestamp(nanoseconds: reading()) }, sleep: sleep)
    }

    /// How far the wall clock is ahead of ``now``, in nanoseconds: zero until it is corrected.
    var wallOffset: Int64 { wallOffsetAndNow.offset }

    /// ``wallOffset`` and the present, of one reading.
    var wallOffsetAndNow: (offset: Int64, now: Timestamp) {
        let (offset, now) = correction.current(wall: wall, now: reading)
        return (offset, Timestamp(nanoseconds: now))
    }

    /// The present on the time line of copies.
    public var now: Timestamp { Timestamp(nanoseconds: reading()) }

    /// The present, or a moment shortly before it: the last tick of the machine's clock, which is much cheaper to read. Never ahead of ``now``,
    /// and less than ``tick`` behind it.
    package var recent: Timestamp { Timestamp(nanoseconds: estimating()) }

    /// More nanoseconds than ``recent`` is behind: a machine ticks a hundred times a second or more, unless its host keeps it from that.
    static let tick: Int64 = 1_000_000_000

    /// Waits for `duration`; throws `CancellationError` when the task is cancelled meanwhile.
    public func sleep(for duration: Duration) async throws {
        try await sleeping(duration)
    }
}
