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
    /// When the fetch ended, on the time line of entries: their age counts up to here. Of a copy at hand perhaps a tick earlier, see
    /// ``PipelineClock/recent``.
    package let ended: Timestamp
    /// The nanoseconds of ``joined``, negative without any: an optional duration takes three times the room.
    private let joinedNanoseconds: Int64
    /// The value of a copy at hand, or of what was made from such copies.
    private let atHand: Entry?
    /// What it is beyond that: an answer at hand has it behind one reference at most, and so has one that ten thousand fetches waited for.
    private let rest: Rest

    private enum Rest: Sendable {
        /// Nothing: it is a fresh copy that the first tier had at hand.
        case nothing
        /// It was made from copies at hand.
        case made(any ReplyDetail)
        /// It is what a load came to.
        case reply(SharedReply)
    }

    /// - Parameter joined: for how long the load had run when the fetch joined it; nil for a load of its own.
    init(_ reply: LoadReply, for key: Key, at ended: Timestamp, joined: Duration? = nil) {
        self.init(SharedReply(reply), for: key, at: ended, joined: joined)
    }

    /// The same, for one of several fetches that waited for the load.
    @inline(__always)
    init(_ reply: consuming SharedReply, for key: consuming Key, at ended: Timestamp, joined: Duration? = nil) {
        self.key = key
        self.ended = ended
        source = reply.value.goesOn ? nil : reply.value.source
        // A load that joined another is as old as that.
        let joined = reply.value.isPastDeadline ? nil : joined.map { $0 + (reply.value.joined ?? .zero) } ?? reply.value.joined
        joinedNanoseconds = joined?.saturatedNanoseconds ?? -1
        atHand = nil
        rest = .reply(reply.forOutcome())
    }

    /// A fresh copy that the first tier had at hand.
    @inline(__always)
    init(hit entry: consuming Entry, freshUntil limit: Timestamp?, in source: String, for key: Key, at ended: Timestamp) {
        entry.freshUntil = limit
        self.key = key
        self.ended = ended
        self.source = source
        joinedNanoseconds = -1
        atHand = entry
        rest = .nothing
    }

    /// What was made from copies at hand.
    init(_ entry: consuming Entry, knowing detail: any ReplyDetail, in source: String, for key: Key, at ended: Timestamp) {
        self.key = key
        self.ended = ended
        self.source = source
        joinedNanoseconds = -1
        atHand = entry
        rest = .made(detail)
    }

    /// For how long the load had run when the fetch joined it; nil for a load of its own.
    package var joined: Duration? { joinedNanoseconds < 0 ? nil : .nanoseconds(joinedNanoseconds) }

    /// What the load came to; nil for an answer at hand.
    private var reply: LoadReply? { if case .reply(let reply) = rest { reply.value } else { nil } }

    private var found: Entry? { atHand ?? reply?.entry }

    private var failure: LoadError? {
        guard let reply, case .failed(let isFinal) = reply.answer else { return nil }
        return LoadError(
            key: key, kind: reply.failure(isFinal: isFinal), attempts: reply.attempts, linkError: reply.linkError.value,
            unasked: reply.unasked)
    }

    /// How the fetch ended.
    public var result: Ending {
        if let found { return .value(found) }
        return failure.map { .failed($0) } ?? .notFound
    }

    /// The value, or what says that there is none; nil where no tier knew, and for a failure.
    package var answer: Entry? {
        if case .notFound(let absence)? = reply?.answer { return absence }
        return found
    }

    /// Why a value is served although it expired; nil for a fresh one.
    public var staleReason: String? { if case .stale(_, let reason)? = reply?.answer { reason } else { nil } }

    /// What each tier did, in order. Where the fetch joined a load that ran already, the last one that was asked says so.
    public var attempts: [Attempt] {
        guard let reply else { return [Attempt(source ?? "", .hit)] }
        return joined.map { reply.attempts.joined(after: $0) } ?? reply.attempts
    }

    /// The entry, fresh or stale; nil when there is none. Throws ``LoadError`` when the fetch failed.
    public var entry: Entry? {
        get throws(LoadError) {
            if let failure { throw failure }
            return found
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

    /// Whether nothing is lacking because a part failed. True also where a part is not there, and for a failure.
    public var isComplete: Bool { detail?.isComplete ?? true }

    /// Whether it is a fresh copy at hand, for which nothing was asked.
    var isAtHand: Bool { if case .nothing = rest { true } else { false } }

    /// What its source knows of it beside the entry; nil where that is nothing.
    var detail: (any ReplyDetail)? {
        switch rest {
        case .nothing: nil
        case .made(let detail): detail
        case .reply(let reply): reply.value.detail
        }
    }

    /// Why no cache may keep the answer; nil where caches may.
    package var notKept: String? {
        detail?.notKept ?? answer?.notKept
    }

    /// Until when the caches that took the answer keep it fresh; nil where none took it. The distant future stands for no limit.
    var keptUntil: Timestamp? { log?.keptUntil }

    /// The log of the writes that the answer caused.
    var log: WriteLog? { reply?.writes }

    /// Waits until the writes that nothing delays have ended; debounced ones stay `scheduled`. Throws when the task is cancelled.
    public func waitForWrites() async throws {
        try await log?.settle()
    }

    /// How old the value is, never negative; nil without one.
    public var age: Duration? { found.map(age) }

    /// How old `entry` was when the fetch ended.
    package func age(of entry: Entry) -> Duration { max(.zero, ended.duration(since: entry.created)) }

    /// How long the value stays fresh, zero for one that is stale or incomplete; nil without a value or without a limit.
    public var freshFor: Duration? {
        isComplete ? found?.freshUntil.map { max(.zero, $0.duration(since: ended)) } : found.map { _ in .zero }
    }
}
