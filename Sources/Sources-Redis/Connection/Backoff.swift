internal import Pipeline

/// How long to wait before the next attempt to connect: longer after each that failed.
struct Backoff: Sendable {
    private static let first = Duration.milliseconds(100)
    private static let longest = Duration.seconds(5)

    private var last: Duration?

    /// The wait after one more failure.
    mutating func next() -> Duration {
        let wait = min(last.map { $0 * 2 } ?? Self.first, Self.longest)
        last = wait
        return wait
    }

    /// Begins anew.
    mutating func reset() {
        last = nil
    }
}
