/// How far one connection knows what was changed in an outbox: a pure machine.
///
/// Each transaction that changes sends has a number, one more than the one before. SQLite tells a connection whether others have changed
/// anything (`PRAGMA data_version`), so that nobody looks for changes where there are none.
struct OutboxMark: Sendable {
    private var known: (version: Int64, mark: Int64)?
    /// The numbers of this connection's own transactions since, as few ranges as possible.
    private(set) var own: [ClosedRange<Int64>] = []

    /// Notes a transaction of this connection's own, which has been committed.
    mutating func noteOwn(_ change: Int64) {
        if let last = own.last, change > 0, last.upperBound == change - 1 {
            own[own.count - 1] = last.lowerBound...change
        } else {
            own.append(change...change)
        }
    }

    /// Indicates whether the transaction was one of this connection's own.
    func isOwn(_ change: Int64) -> Bool { own.contains { $0.contains(change) } }

    /// The mark that follows `mark` if nobody else has changed anything since; nil if somebody may have.
    mutating func next(after mark: Int64, version: Int64) -> Int64? {
        guard let known, known == (version, mark) else { return nil }
        let next = own.reduce(mark) { max($0, $1.upperBound) }
        advance(to: next, version: version)
        return next
    }

    /// Notes that all transactions up to `mark` are known.
    ///
    /// - Parameter version: what SQLite said before they were read.
    mutating func advance(to mark: Int64, version: Int64) {
        known = (version, mark)
        own.removeAll { $0.upperBound <= mark }
    }
}
