import Synchronization

/// The result of a fetch, with its trace; also what ``DataPipeline/put(_:for:contentType:)`` returns, with its writes.
public struct Outcome: Sendable {
    /// The end of a fetch.
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
    /// The moment when the fetch ended, on the time line of entries: their age counts up to here. Of a copy at hand perhaps a tick earlier,
    /// see ``PipelineClock/recent``.
    package let ended: Timestamp
    /// The nanoseconds of ``joined``, negative without any: an optional duration takes three times the room.
    private let joinedNanoseconds: Int64
    /// The value of a copy at hand.
    private let atHand: Entry?
    /// What the load came to, behind one reference for all that waited for it; nil for a fresh copy that the first tier had at hand.
    private let shared: SharedReply?

    /// - Parameter joined: for how long the load had run when the fetch joined it; nil for a load of its own.
    package init(_ reply: LoadReply, for key: Key, at ended: Timestamp, joined: Duration? = nil) {
        self.init(SharedReply(reply), for: key, at: ended, joined: joined)
    }

    /// This outcome for one of several fetches that waited for the load.
    @inline(__always)
    init(_ reply: consuming SharedReply, for key: consuming Key, at ended: Timestamp, joined: Duration? = nil) {
        self.key = key
        self.ended = ended
        source = reply.value.goesOn ? nil : reply.value.source
        let joined = reply.value.isPastDeadline ? nil : reply.value.course.joined(after: joined)
        joinedNanoseconds = joined?.saturatedNanoseconds ?? -1
        atHand = nil
        shared = reply.forOutcome()
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
        shared = nil
    }

    /// For how long the load had run when the fetch joined it; nil for a load of its own.
    package var joined: Duration? { joinedNanoseconds < 0 ? nil : .nanoseconds(joinedNanoseconds) }

    /// What the load came to; nil for an answer at hand.
    private var reply: LoadReply? { shared?.value }

    private var found: Entry? { atHand ?? reply?.entry }

    private var failure: LoadError? {
        guard let reply, case .failed(let isFinal) = reply.answer else { return nil }
        return LoadError(
            key: key, kind: reply.failure(isFinal: isFinal), attempts: reply.attempts, linkError: reply.linkError, unasked: reply.unasked)
    }

    /// The end of the fetch.
    public var result: Ending {
        if let found { return .value(found) }
        return failure.map { .failed($0) } ?? .notFound
    }

    /// The value, or what says that there is none; nil if no tier knew, and for a failure.
    package var answer: Entry? {
        if case .notFound(let absence)? = reply?.answer { return absence }
        return found
    }

    /// The reason why a value is served although it expired; nil for a fresh one.
    public var staleReason: String? { if case .stale(_, let reason)? = reply?.answer { reason } else { nil } }

    /// The attempts of the tiers, in order. If the fetch joined a load that ran already, the last one that was asked says so.
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

    /// Indicates whether the value expired and is served all the same.
    public var isStale: Bool { staleReason != nil }

    /// The writes that the answer caused, as they stand now: slow caches are written after the fetch returned.
    public var writes: [WriteRecord] { log?.records ?? [] }

    /// Indicates whether nothing is lacking because a part failed. True also where a part is not there, and for a failure.
    public var isComplete: Bool { detail?.isComplete ?? true }

    /// Whether it is a fresh copy at hand, for which nothing was asked.
    package var isAtHand: Bool { shared == nil }

    /// What its source knows of it beside the entry; nil where that is nothing.
    package var detail: (any ReplyDetail)? { reply?.detail }

    /// The reason why no cache may keep the answer; nil if caches may.
    package var notKept: String? {
        detail?.notKept ?? answer?.notKept
    }

    /// Until when the caches that took the answer keep it fresh; nil where none took it. The distant future stands for no limit.
    package var keptUntil: Timestamp? { log?.keptUntil }

    /// The log of the writes that the answer caused.
    package var log: WriteLog? { reply?.writes }

    /// Waits until the writes that nothing delays have ended; debounced ones stay `scheduled`. Throws when the task is cancelled.
    public func waitForWrites() async throws {
        try await log?.settle()
    }

    /// The age of the value, never negative; nil without one.
    public var age: Duration? { found.map(age) }

    /// The age of `entry` when the fetch ended.
    package func age(of entry: Entry) -> Duration { max(.zero, ended.duration(since: entry.created)) }

    /// The time for which the value stays fresh, zero for one that is stale or incomplete; nil without a value or without a limit.
    public var freshFor: Duration? {
        isComplete ? found?.freshUntil.map { max(.zero, $0.duration(since: ended)) } : found.map { _ in .zero }
    }
}

/// The end of a fetch, as logs, metrics and records name it.
package enum FetchEnding: String, Sendable, CaseIterable {
    /// A fresh value.
    case value
    /// An expired value that a stale window allows.
    case stale
    /// There is no value.
    case notFound = "not_found"
    /// The fetch failed.
    case failed
}

extension Outcome {
    /// The end of the fetch.
    package var ending: FetchEnding {
        switch result {
        case .value: isStale ? .stale : .value
        case .notFound: .notFound
        case .failed: .failed
        }
    }

    /// The reason why the fetch failed; nil unless it did.
    package var error: LoadError? { if case .failed(let error) = result { error } else { nil } }
}

/// How a load ends that goes on after its fetch was answered.
final class LoadEnding: Sendable {
    enum State: Sendable {
        case running
        case well
        case failed(at: Timestamp)
    }

    /// What is known, and the load that goes on in its place.
    private let known = Mutex<(state: State, next: LoadEnding?)>((.running, nil))

    var state: State {
        let (state, next) = known.withLock { $0 }
        return next?.state ?? state
    }

    /// The load came to `result`. One that was cancelled has not failed, and one that left another running has not ended.
    func end(_ result: Result<LoadReply, any Error>, at now: Timestamp) {
        let reply = try? result.get()
        let state: State = reply?.hasFailed == true ? .failed(at: now) : .well
        known.withLock { $0 = (state: state, next: reply?.course.ending) }
    }
}
