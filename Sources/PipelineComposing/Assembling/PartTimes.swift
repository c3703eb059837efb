import Pipeline
import PipelineLive
/// The times of what was made from several values, and what their origins say about copies: no better than those of the worst of them.
struct PartTimes: Sendable {
    /// When the load of the oldest of them began; nil while there is none.
    private(set) var created: Timestamp?
    /// Until when all of them are fresh; nil without a limit.
    private(set) var freshUntil: Timestamp?
    /// Why it is stale; nil where all of them are fresh.
    private(set) var staleReason: String?
    /// Why no cache may keep it; nil where caches may.
    private(set) var notKept: String?
    /// What the origin of any of them forbids copies.
    private var flags: CacheControl.Flags = []

    /// What holds for copies of what was made, because an origin says it of a value that was used; nil where none says anything. How long
    /// they are fresh is ``freshUntil``.
    var cacheControl: CacheControl? {
        if flags.isEmpty { return nil }
        var control = CacheControl()
        control.flags = flags
        return control
    }

    /// `outcome` was used: its value, or that there is none.
    ///
    /// - Parameters:
    ///   - name: what messages call it.
    ///   - plainName: what the reason for which it is stale calls it; nil for `name`.
    mutating func use(_ outcome: Outcome, as name: @autoclosure () -> String, plainName: @autoclosure () -> String? = nil) {
        let known = outcome.answer
        if let known { useTerms(of: known) }
        created = Self.earlier(created, known?.created)
        var limit = known?.freshUntil ?? outcome.keptUntil
        if known?.payload == nil, limit == nil {
            limit = outcome.ended
            notKept = notKept ?? "\(name()) is not there, and that is not remembered"
        }
        freshUntil = Self.earlier(freshUntil, limit == .distantFuture ? nil : limit)
        if let reason = outcome.staleReason { staleReason = staleReason ?? "\(plainName() ?? name()): \(reason)" }
        if let reason = known?.notKept ?? outcome.notKept { notKept = notKept ?? "\(name()): \(reason)" }
    }

    /// A fresh copy at hand was used.
    ///
    /// - Parameter name: what messages call it.
    @inline(__always)
    mutating func use(copy: borrowing Entry, as name: @autoclosure () -> String) {
        useTerms(of: copy)
        created = Self.earlier(created, copy.created)
        freshUntil = Self.earlier(freshUntil, copy.freshUntil)
        if let reason = copy.notKept { notKept = notKept ?? "\(name()): \(reason)" }
    }

    @inline(__always)
    private mutating func useTerms(of entry: borrowing Entry) {
        if let control = entry.cacheControl { flags.formUnion(control.flags.intersection(.handedOn)) }
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
        flags.formUnion(other.flags)
    }
}

extension CacheControl.Flags {
    /// What holds also for copies of what was made from a value.
    fileprivate static let handedOn: Self = [.noCache, .mustRevalidate, .proxyRevalidate, .isPrivate]
}
