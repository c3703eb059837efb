import Pipeline
import Synchronization

extension LiveKey {
    /// The time for which the value of a key is fresh.
    struct Expiry {
        private(set) var isStale = false
        /// The moment when copies of the value stop being fresh; nil if they never do.
        private(set) var limit: Timestamp?
        /// The moment when the list that changes are merged into was stored first: its copies get no younger. Nil without one.
        private(set) var landed: Timestamp?
        /// Rings at the limit.
        var alarm = AlarmSlot()

        /// Notes a value that an origin gave now.
        mutating func land(at now: Timestamp, until limit: Timestamp?) {
            landed = now
            (self.limit, isStale) = (limit, false)
        }

        /// Notes a value that a cache holds.
        mutating func adopt(storedAt stored: Timestamp, until limit: Timestamp?, isStale: Bool) {
            if landed == nil { landed = stored }
            (self.limit, self.isStale) = (limit, isStale)
        }

        /// Notes that there is no value any more.
        mutating func void() { (landed, limit, isStale) = (nil, nil, false) }

        /// Notes that the alarm has rung: the value is stale, unless a feed confirmed it at `confirmedAt`.
        mutating func expire(at now: Timestamp, confirmedAt: Timestamp?) {
            guard let limit, limit <= now else { return }
            // A feed that confirms copies makes them younger.
            if let confirmedAt, let landed, landed < confirmedAt, now < limit + confirmedAt.duration(since: landed) {
                self.limit = limit + confirmedAt.duration(since: landed)
                self.landed = confirmedAt
            } else {
                isStale = true
            }
        }
    }

    /// Notes when the value stops being fresh.
    func watchExpiry() {
        state.withLock { state in
            guard let limit = state.watchedLimit else { return }
            state.expiry.alarm.set(at: limit, on: clock) { [weak self] in self?.expire(rung: $0) }
        }
    }

    private func expire(rung moment: Timestamp) {
        let now = clock.now
        let confirmedAt = confirmation.confirmedAt
        change { state in
            state.expiry.alarm.end(moment)
            state.expiry.expire(at: now, confirmedAt: confirmedAt)
        }
        watchExpiry()
    }
}

extension LiveKey.State {
    /// The moment when the value stops being fresh; nil unless observers have to see that.
    fileprivate var watchedLimit: Timestamp? { expiry.isStale || isOver || audience.isEmpty ? nil : expiry.limit }
}
