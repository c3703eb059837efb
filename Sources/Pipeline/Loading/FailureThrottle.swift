import Synchronization

/// Remembers which loads failed within the last second, so that a stale copy is not paid for with a failing load each time.
final class FailureThrottle: Sendable {
    private static let rest = Duration.seconds(1)

    private let clock: PipelineClock
    private let until = Mutex<[Key: Timestamp]>([:])

    init(clock: PipelineClock) {
        self.clock = clock
    }

    /// How long the load of `key` is not to be tried again; nil when it may be.
    func pause(for key: Key) -> Duration? {
        let now = clock.now
        return until.withLock { until in
            guard let end = until[key] else { return nil }
            if now < end { return end.duration(since: now) }
            until[key] = nil
            return nil
        }
    }

    /// The load of `key` failed now.
    func note(_ key: Key) {
        let now = clock.now
        until.withLock { until in
            // Those that are over are dropped now and then, so that keys asked for once do not stay.
            if until.count >= 1024 { until = until.filter { now < $0.value } }
            until[key] = now + Self.rest
        }
    }
}
