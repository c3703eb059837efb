/// The times of what was made from several values: no better than those of the worst of them.
struct PartTimes: Sendable {
    /// When the load of the oldest of them began; nil while there is none.
    private(set) var created: Timestamp?
    /// Until when all of them are fresh; nil without a limit.
    private(set) var freshUntil: Timestamp?
    /// Why it is stale; nil where all of them are fresh.
    private(set) var staleReason: String?
    /// Why no cache may keep it; nil where caches may.
    private(set) var notKept: String?

    /// `outcome` was used: its value, or that there is none.
    ///
    /// - Parameter name: what messages call it.
    mutating func use(_ outcome: Outcome, as name: @autoclosure () -> String) {
        let known = outcome.answer
        created = Self.earlier(created, known?.created)
        var limit = known?.freshUntil ?? outcome.keptUntil
        if known?.payload == nil, limit == nil {
            limit = outcome.ended
            notKept = notKept ?? "\(name()) is not there, and that is not remembered"
        }
        freshUntil = Self.earlier(freshUntil, limit == .distantFuture ? nil : limit)
        if let reason = outcome.staleReason { staleReason = staleReason ?? "\(name()): \(reason)" }
        if let reason = known?.notKept ?? outcome.composition?.notKept { notKept = notKept ?? "\(name()): \(reason)" }
    }

    /// A fresh copy at hand was used.
    ///
    /// - Parameter name: what messages call it.
    mutating func use(copy: Entry, as name: @autoclosure () -> String) {
        created = Self.earlier(created, copy.created)
        freshUntil = Self.earlier(freshUntil, copy.freshUntil)
        if let reason = copy.notKept { notKept = notKept ?? "\(name()): \(reason)" }
    }

    private static func earlier(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// What has these times was used.
    mutating func use(_ other: PartTimes) {
        created = Self.earlier(created, other.created)
        freshUntil = Self.earlier(freshUntil, other.freshUntil)
        staleReason = staleReason ?? other.staleReason
        notKept = notKept ?? other.notKept
    }
}
