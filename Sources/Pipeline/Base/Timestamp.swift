/// A moment in nanoseconds since 1970-01-01T00:00:00Z, on the time line of a ``PipelineClock``.
///
/// Arithmetic saturates, so that an endless time to live stays endless.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Nanoseconds since the Unix epoch.
    public var nanoseconds: Int64

    /// The moment that lies `nanoseconds` after the Unix epoch.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// A moment later than any other.
    package static let distantFuture = Timestamp(nanoseconds: .max)

    /// A moment earlier than any other.
    package static let distantPast = Timestamp(nanoseconds: .min)

    /// The time from `earlier` to this moment; negative if it is before.
    public func duration(since earlier: Timestamp) -> Duration {
        .nanoseconds(nanoseconds.subtractingSaturated(earlier.nanoseconds))
    }

    /// Indicates whether `left` is the earlier of the two.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The moment `duration` later, or the last one that a timestamp can hold.
    public static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(nanoseconds: moment.nanoseconds.addingSaturated(duration.saturatedNanoseconds))
    }

    /// The moment `duration` earlier, or the first one that a timestamp can hold.
    public static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(nanoseconds: moment.nanoseconds.subtractingSaturated(duration.saturatedNanoseconds))
    }
}
