/// A copy that a tier holds and that is no longer fresh.
struct ExpiredCopy: Sendable {
    let source: String
    let entry: Entry
    /// When it stopped being fresh.
    let since: Timestamp
    /// Whether it is only too old to have heard what other processes announced.
    var isUnconfirmed = false

    /// Why it is not fresh.
    func reason(at now: Timestamp) -> String {
        isUnconfirmed ? "stored before this process subscribed" : "expired \(now.duration(since: since).rounded) ago"
    }
}
