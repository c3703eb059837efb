internal import Pipeline
internal import Synchronization

/// The metrics of tiers, each made when it is first needed: making one may cost a backend much more than counting.
final class MetricTable<Metrics: Sendable>: Sendable {
    private let made = Mutex<[TierName: Metrics]>([:])
    private let make: @Sendable (TierName) -> Metrics

    init(_ make: @escaping @Sendable (TierName) -> Metrics) {
        self.make = make
    }

    subscript(name: TierName) -> Metrics {
        if let metrics = made.withLock({ $0[name] }) { return metrics }
        // Outside of the lock, since it is the backend's code. Of two that are made at once all use the one that is kept.
        let metrics = make(name)
        return made.withLock { made in
            if let first = made[name] { return first }
            made[name] = metrics
            return metrics
        }
    }
}
