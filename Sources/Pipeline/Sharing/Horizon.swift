import Synchronization

/// The moment from which on a process hears what the others announce. Copies of its own that are older may have missed an announcement.
///
/// While a source refuses to let it hear them there is no such moment, and every copy may have missed one.
final class Horizon: Sendable {
    private struct State {
        var moment: Timestamp
        /// Since when each source refuses.
        var refusals: [String: Timestamp] = [:]
    }

    private let state: Mutex<State>
    /// What `state` comes to, for every read of a copy.
    private let moment: Atomic<Int64>

    /// - Parameter start: the distant past while nothing is to be heard: no copy has missed anything.
    init(_ start: Timestamp = .distantPast) {
        state = Mutex(State(moment: start))
        moment = Atomic(start.nanoseconds)
    }

    /// Whether there is anything to hear.
    var isHeard: Bool { value != .distantPast }

    /// The distant future while a source refuses.
    var value: Timestamp { Timestamp(nanoseconds: moment.load(ordering: .acquiring)) }

    /// Everything before `now` is too old from here on: what was announced until then was not heard, and from then on it is, through
    /// `source` if that refused. A moment before the last one changes nothing.
    func raise(to now: Timestamp, hearing source: String? = nil) {
        change { state in
            if let source { state.refusals[source] = nil }
            state.moment = max(state.moment, now)
        }
    }

    /// Nothing is heard through `source` until it has the horizon raised.
    func lose(_ source: String, at now: Timestamp) {
        change { $0.refusals[source] = $0.refusals[source] ?? now }
    }

    private func change(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            let value = state.refusals.isEmpty ? state.moment : .distantFuture
            moment.store(value.nanoseconds, ordering: .releasing)
        }
    }

    /// Whether a copy is too old to be served before it has been confirmed.
    @inline(__always)
    func hides(_ copy: Entry) -> Bool {
        (copy.stored ?? copy.created) < value
    }

    /// When a copy that is too old stopped being fresh by that alone; nil for one that is young enough, or had expired before.
    func limit(of copy: Entry) -> Timestamp? {
        let stored = copy.stored ?? copy.created
        guard stored < value else { return nil }
        let limit = state.withLock { state in
            // A copy that was stored since the refusal was never confirmed.
            state.refusals.values.min().map { max($0, stored) } ?? state.moment
        }
        guard copy.freshUntil.map({ limit < $0 }) ?? true else { return nil }
        return limit
    }

    /// When a copy counts as stored whose load began while the horizon was at `start`: before the horizon, if it has moved meanwhile.
    func storing(_ now: Timestamp, ofLoadSince start: Timestamp?) -> Timestamp {
        let value = value
        guard let start, start != value else { return now }
        return min(now, value - .nanoseconds(1))
    }
}
