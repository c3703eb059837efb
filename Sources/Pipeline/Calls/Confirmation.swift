import Synchronization

/// Since when this process receives the messages of the others. Its own copies that are older may have missed one, and need to be confirmed.
///
/// While a source refuses the subscription there is no such moment, and every copy may have missed a message.
final class Confirmation: Sendable {
    private struct State {
        var moment: Timestamp
        /// Since when each source refuses.
        var refusals: [String: Timestamp] = [:]
    }

    private let state: Mutex<State>
    /// The moment that follows from `state`, for every read of a copy.
    private let moment: Atomic<Int64>

    /// - Parameter start: the distant past while there is nothing to subscribe to: no copy has missed anything.
    init(_ start: Timestamp = .distantPast) {
        state = Mutex(State(moment: start))
        moment = Atomic(start.nanoseconds)
    }

    /// Whether there is anything to subscribe to.
    var isSubscribed: Bool { value != .distantPast }

    /// Copies stored before this moment are not confirmed. The distant future while a source refuses.
    var value: Timestamp { Timestamp(nanoseconds: moment.load(ordering: .acquiring)) }

    /// Messages are received from `now` on, by `source` too if that refused; those of before were missed. A moment before the last one changes
    /// nothing.
    func raise(to now: Timestamp, through source: String? = nil) {
        change { state in
            if let source { state.refusals[source] = nil }
            state.moment = max(state.moment, now)
        }
    }

    /// No message is received through `source` until ``raise(to:through:)`` names it.
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

    /// Whether a copy must be confirmed before it is served.
    @inline(__always)
    func hides(_ copy: Entry) -> Bool {
        (copy.stored ?? copy.created) < value
    }

    /// When a copy that is too old stopped being fresh for that reason alone; nil for one that is young enough, or had expired before.
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

    /// When a copy counts as stored whose load began while the moment was `start`: before the present one, if it has moved meanwhile.
    func storing(_ now: Timestamp, ofLoadSince start: Timestamp?) -> Timestamp {
        let value = value
        guard let start, start != value else { return now }
        return min(now, value - .nanoseconds(1))
    }
}

/// The word of a follower on the copies of a key.
package struct CopyConfirmation: Sendable {
    /// Copies that were stored before are expired: changes may have been missed, and the value is not loaded again yet.
    let unconfirmedBefore: Timestamp?
    /// When copies were last known to be what the server has.
    package let confirmedAt: Timestamp?

    package init(unconfirmedBefore: Timestamp?, confirmedAt: Timestamp?) {
        (self.unconfirmedBefore, self.confirmedAt) = (unconfirmedBefore, confirmedAt)
    }

    /// Since when `entry` is expired for that reason; nil for one that is not, or had expired before.
    func unconfirmed(_ entry: Entry, until limit: Timestamp?) -> Timestamp? {
        guard let moment = unconfirmedBefore, (entry.stored ?? entry.created) < moment else { return nil }
        return limit.map { $0 <= moment } ?? false ? nil : moment
    }

    /// The copy, as if it had been stored when it was confirmed last.
    func confirmed(_ entry: Entry) -> Entry {
        guard let confirmedAt, let stored = entry.stored, stored < confirmedAt else { return entry }
        var copy = entry
        copy.stored = confirmedAt
        copy.freshUntil = entry.freshUntil.map { $0 + confirmedAt.duration(since: stored) }
        return copy
    }
}
