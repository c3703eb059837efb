/// The result of a fetch, with its trace.
public struct Outcome: Sendable {
    /// How a fetch can end.
    public enum Ending: Sendable {
        /// A value, fresh or stale.
        case value(Entry)
        /// There is no value: an origin said so, or every tier was asked, none failed, and none has it.
        case notFound
        /// The fetch failed.
        case failed(LoadError)
    }

    /// The key that was fetched.
    public let key: Key
    /// How the fetch ended.
    public let result: Ending
    /// The source that gave the answer; nil when none did.
    public let source: String?
    /// Why a value is served although it expired; nil for a fresh one.
    public let staleReason: String?
    /// When the fetch ended, on the time line of entries: their age counts up to here.
    public let ended: Timestamp
    /// What each tier did; nil for a hit at hand, whose single attempt is made on demand: a list would be an allocation.
    private let list: Attempts?
    private let log: WriteLog?
    /// For how long the load had run when the fetch joined it; nil for a load of its own.
    private let joined: Duration?

    /// - Parameter joined: for how long the load had run when the fetch joined it; nil for a load of its own.
    init(_ reply: LoadReply, for key: Key, at ended: Timestamp, joined: Duration? = nil) {
        // A load that joined another is as old as that.
        self.joined = reply.isPastDeadline ? nil : joined.map { $0 + (reply.joined ?? .zero) } ?? reply.joined
        self.key = key
        self.ended = ended
        source = reply.goesOn ? nil : reply.source
        list = reply.attempts
        log = reply.writes
        var staleReason: String?
        switch reply.answer {
        case .value(let entry): result = .value(entry)
        case .stale(let entry, let reason):
            result = .value(entry)
            staleReason = reason
        case .notFound, .none: result = .notFound
        case .failed(let isFinal):
            result = .failed(LoadError(key: key, kind: reply.failure(isFinal: isFinal), attempts: reply.attempts))
        }
        self.staleReason = staleReason
    }

    /// A fresh copy that the first tier had at hand.
    @inline(__always)
    init(hit entry: consuming Entry, freshUntil limit: Timestamp?, in source: String, for key: Key, at ended: Timestamp) {
        entry.freshUntil = limit
        self.key = key
        self.ended = ended
        self.source = source
        list = nil
        log = nil
        joined = nil
        result = .value(entry)
        staleReason = nil
    }

    /// What each tier did, in order. Where the fetch joined a load that ran already, the last one that was asked says so.
    public var attempts: Attempts {
        guard let list else { return Attempts(Attempt(source ?? "", .hit)) }
        return joined.map { list.joined(after: $0) } ?? list
    }

    /// The entry, fresh or stale; nil when there is none. Throws ``LoadError`` when the fetch failed.
    public var entry: Entry? {
        get throws(LoadError) {
            switch result {
            case .value(let entry): entry
            case .notFound: nil
            case .failed(let error): throw error
            }
        }
    }

    /// The value's bytes; nil when there is none. Throws ``LoadError`` when the fetch failed.
    public var payload: [UInt8]? {
        get throws(LoadError) { try entry?.payload }
    }

    /// Whether the value expired and is served all the same.
    public var isStale: Bool { staleReason != nil }

    /// The writes that the answer caused, as they stand now: slow caches are written after the fetch returned.
    public var writes: [WriteRecord] { log?.records ?? [] }

    /// Waits until the writes that nothing delays have ended; debounced ones stay `scheduled`. Throws when the task is cancelled.
    public func settleWrites() async throws {
        try await log?.settle()
    }

    /// How old the value is, never negative; nil without one.
    public var age: Duration? {
        guard case .value(let entry) = result else { return nil }
        return max(.zero, ended.duration(since: entry.created))
    }

    /// How long the value stays fresh, zero for a stale one; nil without a value or without a limit.
    public var freshFor: Duration? {
        guard case .value(let entry) = result, let limit = entry.freshUntil else { return nil }
        return max(.zero, limit.duration(since: ended))
    }
}
