/// A copy that a tier holds and that is no longer fresh.
struct ExpiredCopy: Sendable {
    let source: String
    let entry: Entry
    /// When it stopped being fresh.
    let since: Timestamp
    /// Whether it counts as expired only because this process may have missed an invalidation message about it.
    var isUnconfirmed = false

    /// Why it is not fresh.
    func reason(at now: Timestamp) -> String {
        if entry.created > now { return "created in the future" }
        return isUnconfirmed ? "stored before this process subscribed" : "expired \(now.duration(since: since).rounded) ago"
    }
}
