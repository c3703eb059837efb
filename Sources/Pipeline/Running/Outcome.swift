/// The result of a fetch, with its trace; also what ``DataPipeline/put(_:for:contentType:)`` returns, with its writes.
public struct Outcome: Sendable {
    /// How a fetch can end.
    ///
    /// Closed: a fetch ends in no other way.
    public enum Ending: Sendable {
        /// A value, fresh or stale.
        case value(Entry)
        /// There is no value: an origin said so, or every tier was asked, none failed, and none has it.
        case notFound
        /// The fetch failed.
        case failed(LoadError)
    }

    /// The key that was fetched, or stored.
    public let key: Key
    /// The source that gave the answer; nil when none did.
    public let source: String?
    /// When the fetch ended, on the time line of entries: their age counts up to here.
    package let ended: Timestamp
    private let found: Entry?
    /// Nil for a fresh copy at hand: what an answer has beyond that stands behind one reference, which a hit has only to check.
    private let details: Details?

    private final class Details: Sendable {
        let staleReason: String?
        let error: LoadError?
        /// What says that there is no value.
        let absence: Entry?
        let attempts: [Attempt]
        let log: WriteLog?
        /// What the value was made from; nil for one that was not made from others.
        let composition: Composition?
        /// For how long the load had run when the fetch joined it; nil for a load of its own.
        let joined: Duration?

        init(_ composition: Composition, _ attempts: [Attempt]) {
            self.composition = composition
            self.attempts = attempts
            (staleReason, error, absence, log, joined) = (nil, nil, nil, nil, nil)
        }

        @inline(__always)
        init(_ reply: LoadReply, for key: Key, joined: Duration?) {
            attempts = reply.attempts
            log = reply.writes
            composition = reply.composition
            // A load that joined another is as old as that.
            self.joined = reply.isPastDeadline ? nil : joined.map { $0 + (reply.joined ?? .zero) } ?? reply.joined
            if case .stale(_, let reason) = reply.answer { staleReason = reason } else { staleReason = nil }
            if case .notFound(let entry) = reply.answer { absence = entry } else { absence = nil }
            if case .failed(let isFinal) = reply.answer {
                error = LoadError(
                    key: key, kind: reply.failure(isFinal: isFinal), attempts: reply.attempts, linkError: reply.linkError.value,
                    unasked: reply.unasked)
            } else {
                error = nil
            }
        }
    }

    /// - Parameter joined: for how long the load had run when the fetch joined it; nil for a load of its own.
    @inline(__always)
    init(_ reply: LoadReply, for key: Key, at ended: Timestamp, joined: Duration? = nil) {
        self.key = key
        self.ended = ended
        source = reply.goesOn ? nil : reply.source
        found = reply.entry
        details = Details(reply, for: key, joined: joined)
    }

    /// A fresh copy that the first tier had at hand.
    @inline(__always)
    init(hit entry: consuming Entry, freshUntil limit: Timestamp?, in source: String, for key: Key, at ended: Timestamp) {
        entry.freshUntil = limit
        self.key = key
        self.ended = ended
        self.source = source
        found = entry
        details = nil
    }

    /// A whole of parts that were at hand.
    init(
        _ entry: consuming Entry, madeFrom composition: Composition, attempts: [Attempt], in source: String, for key: Key,
        at ended: Timestamp
    ) {
        self.key = key
        self.ended = ended
        self.source = source
        found = entry
        details = Details(composition, attempts)
    }

    /// How the fetch ended.
    public var result: Ending {
        if let found { return .value(found) }
        return details?.error.map { .failed($0) } ?? .notFound
    }

    /// The value, or what says that there is none; nil where no tier knew, and for a failure.
    package var answer: Entry? { found ?? details?.absence }

    /// For how long the load had run when the fetch joined it; nil for a load of its own.
    package var joined: Duration? { details?.joined }

    /// Why a value is served although it expired; nil for a fresh one.
    public var staleReason: String? { details?.staleReason }

    /// What each tier did, in order. Where the fetch joined a load that ran already, the last one that was asked says so.
    public var attempts: [Attempt] {
        guard let details else { return [Attempt(source ?? "", .hit)] }
        return details.joined.map { details.attempts.joined(after: $0) } ?? details.attempts
    }

    /// The entry, fresh or stale; nil when there is none. Throws ``LoadError`` when the fetch failed.
    public var entry: Entry? {
        get throws(LoadError) {
            if let error = details?.error { throw error }
            return found
        }
    }

    /// The value's bytes; nil when there is none. Throws ``LoadError`` when the fetch failed.
    public var payload: [UInt8]? {
        get throws(LoadError) { try entry?.payload }
    }

    /// Whether the value expired and is served all the same.
    public var isStale: Bool { details?.staleReason != nil }

    /// The writes that the answer caused, as they stand now: slow caches are written after the fetch returned.
    public var writes: [WriteRecord] { details?.log?.records ?? [] }

    /// What became of the parts that the value was made from, in the order of the whole, and of followed values that failed. Empty for a value
    /// that a cache had, and for a pipeline that combines nothing.
    public var parts: [PartOutcome] { composition?.parts ?? [] }

    /// Whether nothing is lacking because a part failed. True also where a part is not there, and for a failure.
    public var isComplete: Bool { composition?.isComplete ?? true }

    /// The targets of followed links that are not there.
    public var missing: [MissingTarget] { composition?.missing ?? [] }

    /// What came of each link that was followed in the value, in the order of the paths.
    package var links: [FollowedLink] { composition?.links ?? [] }

    var composition: Composition? { details?.composition }

    /// Whether it is a fresh copy at hand, for which nothing was asked.
    var isAtHand: Bool { details == nil }

    /// Whether the fetch assembled a composite, or followed links.
    package var isCombined: Bool { composition != nil }

    /// Why no cache may keep the answer; nil where caches may.
    package var notKept: String? { composition?.notKept ?? answer?.notKept }

    /// Until when the caches that took the answer keep it fresh; nil where none took it. The distant future stands for no limit.
    var keptUntil: Timestamp? { details?.log?.keptUntil }

    /// The log of the writes that the answer caused.
    var log: WriteLog? { details?.log }

    /// Waits until the writes that nothing delays have ended; debounced ones stay `scheduled`. Throws when the task is cancelled.
    public func waitForWrites() async throws {
        try await details?.log?.settle()
    }

    /// How old the value is, never negative; nil without one.
    public var age: Duration? { found.map(age) }

    /// How old `entry` was when the fetch ended.
    package func age(of entry: Entry) -> Duration { max(.zero, ended.duration(since: entry.created)) }

    /// How long the value stays fresh, zero for a stale one; nil without a value or without a limit.
    public var freshFor: Duration? { found?.freshUntil.map { max(.zero, $0.duration(since: ended)) } }
}
