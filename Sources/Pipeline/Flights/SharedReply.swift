/// The result of a load: one object for all its waiters.
final class SharedReply: Sendable {
    /// The waiter that a load was started for.
    struct Lead {
        let waiter: UInt64
        /// When that began to wait.
        let begin: Timestamp
    }

    let value: LoadReply
    private let lead: Lead?

    init(_ value: LoadReply, ledBy lead: Lead? = nil) {
        self.value = value
        self.lead = lead
    }

    /// For how long the load had run when the waiter joined it; nil for the waiter that it was started for.
    func joined(by waiter: Waiter) -> Duration? {
        guard let lead, lead.waiter != waiter.number else { return nil }
        return max(.zero, waiter.begin.duration(since: lead.begin))
    }

    /// The same for an outcome, which may be kept for long, without what only a load needs: expired copies, and a load that goes on.
    consuming func forOutcome() -> SharedReply {
        if value.expired.isEmpty, value.ongoing == nil, value.ending == nil, value.members == nil { return self }
        var kept = value
        (kept.expired, kept.ongoing, kept.ending, kept.members) = ([], nil, nil, nil)
        return SharedReply(kept)
    }
}
