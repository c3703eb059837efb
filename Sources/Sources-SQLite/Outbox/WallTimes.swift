internal import Pipeline

/// Moments of a process as times by the wall clock, as it is set now, and back: one reading of the clock for all times of a transaction.
struct WallTimes: Sendable {
    /// The years 1970 to 2199: a time outside of them was written by no outbox.
    private static let sound: ClosedRange<Int64> = 0...7_258_118_399_999_999_999

    private let ahead: Duration
    /// The present.
    let now: Timestamp

    init(_ clock: PipelineClock) {
        now = clock.now
        ahead = clock.wallTime(of: now).duration(since: now)
    }

    /// The time to write for a moment. One that no clock shows, as an endless one, becomes the nearest that can be read again.
    func time(of moment: Timestamp) -> Int64 {
        min(max((moment + ahead).nanoseconds, Self.sound.lowerBound), Self.sound.upperBound)
    }

    /// The moment of a time that was read; nil for one that no outbox wrote.
    func moment(of time: Int64) -> Timestamp? {
        Self.sound.contains(time) ? Timestamp(nanoseconds: time) - ahead : nil
    }
}
