import Synchronization

/// What the feeds of a key say about its copies.
struct LiveConfirmation: Sendable {
    /// Copies that were stored before are expired: the stream was interrupted, and the value is not loaded again yet.
    let unconfirmedBefore: Timestamp?
    /// When a feed last showed that copies are what the server has.
    let confirmedAt: Timestamp?

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

extension LiveKey {
    /// What the feeds say about the copies of the key.
    var confirmation: LiveConfirmation {
        state.withLock { state in
            let confirming = state.feeds.filter { $0.confirms && $0.status.state == .live }
            return LiveConfirmation(unconfirmedBefore: state.unconfirmed, confirmedAt: confirming.compactMap(\.feed?.lastSignOfLife).max())
        }
    }
}
