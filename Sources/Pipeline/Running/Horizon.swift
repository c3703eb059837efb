import Synchronization

/// The moment from which on a process hears what the others announce. Copies of its own that are older may have missed an announcement.
final class Horizon: Sendable {
    private let moment: Atomic<Int64>

    init(_ start: Timestamp) {
        moment = Atomic(start.nanoseconds)
    }

    var value: Timestamp { Timestamp(nanoseconds: moment.load(ordering: .acquiring)) }

    /// Everything before `now` is too old from here on. A horizon never sinks.
    func raise(to now: Timestamp) {
        moment.max(now.nanoseconds, ordering: .acquiringAndReleasing)
    }

    /// Whether a copy is too old to be served before it has been confirmed.
    @inline(__always)
    func hides(_ copy: Entry) -> Bool {
        (copy.stored ?? copy.created) < value
    }

    /// When a copy that is too old stopped being fresh by that alone; nil for one that is young enough, or had expired before.
    func limit(of copy: Entry) -> Timestamp? {
        let value = value
        guard (copy.stored ?? copy.created) < value, copy.freshUntil.map({ value < $0 }) ?? true else { return nil }
        return value
    }

    /// When a copy counts as stored whose load began while the horizon was at `start`: before the horizon, if it rose meanwhile.
    func storing(_ now: Timestamp, ofLoadSince start: Timestamp?) -> Timestamp {
        let value = value
        guard let start, start < value else { return now }
        return min(now, Timestamp(nanoseconds: value.nanoseconds - 1))
    }
}
