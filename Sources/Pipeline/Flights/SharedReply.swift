/// The result of a load: one object for all its waiters.
@usableFromInline
final class SharedReply: Sendable {
    let value: LoadReply

    init(_ value: LoadReply) {
        self.value = value
    }

    /// The same for an outcome, which may be kept for long, without what only a load needs: expired copies, and a load that goes on.
    consuming func forOutcome() -> SharedReply {
        if value.expired.isEmpty, value.ongoing == nil, value.ending == nil, value.members == nil { return self }
        var kept = value
        (kept.expired, kept.ongoing, kept.ending, kept.members) = ([], nil, nil, nil)
        return SharedReply(kept)
    }
}
