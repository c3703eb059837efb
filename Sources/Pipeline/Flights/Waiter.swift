/// A fetch that waits for a load. An object, so that ten thousand of them hold little more than a reference each.
final class Waiter: Sendable {
    let id: Flights.ID
    let request: LoadRequest
    /// The flight that was begun for this request; nil when it joins one.
    let leading: UInt64?
    /// When the fetch began.
    let start: Timestamp
    /// When it began to wait for this flight.
    let begin: Timestamp

    init(_ id: Flights.ID, _ request: LoadRequest, since start: Timestamp = .distantPast) {
        self.id = id
        var request = request
        leading = request.leading
        request.leading = nil
        self.request = request
        self.start = start
        begin = start
    }

    private init(again waiter: Waiter, at now: Timestamp) {
        id = waiter.id
        request = waiter.request.anew
        leading = nil
        start = waiter.start
        begin = now
    }

    /// The waiter for a new load, when this load ended at the shorter deadline of another fetch; nil when the reply holds.
    @inline(never)
    func again(after reply: SharedReply, at present: @autoclosure () -> Timestamp) -> Waiter? {
        guard reply.value.isPastDeadline else { return nil }
        let now = present()
        guard now > begin, request.deadline.map({ now < $0 }) ?? true else { return nil }
        return Waiter(again: self, at: now)
    }
}

/// The result of a load: one object for all its waiters.
final class SharedReply: Sendable {
    let value: LoadReply

    init(_ value: LoadReply) {
        self.value = value
    }

    /// The same for an outcome, which may be kept for long, without what only a load needs: expired copies, and a load that goes on.
    var kept: SharedReply {
        if value.expired.isEmpty, value.ongoing == nil, value.ending == nil, value.members == nil { return self }
        var kept = value
        (kept.expired, kept.ongoing, kept.ending, kept.members) = ([], nil, nil, nil)
        return SharedReply(kept)
    }
}
