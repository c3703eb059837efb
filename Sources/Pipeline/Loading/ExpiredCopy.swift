/// A copy that a tier holds and that is no longer fresh.
struct ExpiredCopy: Sendable {
    let source: String
    let entry: Entry
    /// When it stopped being fresh.
    let since: Timestamp
}
