import Synchronization

/// The writes that one answer causes. They go on after the fetch returned; the log shows how far they are.
package final class WriteLog: Sendable {
    private struct State {
        var records: [WriteRecord] = []
        /// Writes that nothing delays and that have not ended yet.
        var underWay = 0
        var waiters: [Race<Void>] = []
        /// Logs of tiers that were asked later in the same fetch.
        var joined: [WriteLog] = []
        /// Until when the longest-lived of the copies is fresh; nil without any.
        var keptUntil: Timestamp?

        /// Counts one write less; returns the waiters when it was the last.
        mutating func end() -> [Race<Void>] {
            underWay -= 1
            guard underWay == 0 else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Mutex(State())

    init() {}

    /// The writes in the order in which they were started, as they stand now.
    package var records: [WriteRecord] {
        let (records, joined) = state.withLock { ($0.records, $0.joined) }
        return joined.reduce(records) { $0 + $1.records }
    }

    /// Adds a record; returns its index, to change it later.
    ///
    /// - Parameters:
    ///   - isUnderWay: whether it is a write that begins now; ``settle()`` waits for its end.
    ///   - copy: what the cache holds then; nil for nothing.
    func append(_ record: WriteRecord, isUnderWay: Bool = false, of copy: Entry? = nil) -> Int {
        state.withLock { state in
            state.records.append(record)
            if let copy { state.keptUntil = max(state.keptUntil ?? .distantPast, copy.freshUntilOrFuture) }
            if isUnderWay { state.underWay += 1 }
            return state.records.count - 1
        }
    }

    /// Until when the longest-lived of the copies is fresh; nil where no cache took one. The distant future stands for no limit.
    var keptUntil: Timestamp? {
        let (own, joined) = state.withLock { ($0.keptUntil, $0.joined) }
        return ([own] + joined.map(\.keptUntil)).compactMap(\.self).max()
    }

    /// Adds something to wait for that has no record of its own.
    func hold() {
        state.withLock { $0.underWay += 1 }
    }

    /// Ends what ``hold()`` began; it failed when there is a record.
    func release(adding record: WriteRecord?, isHeld: Bool) {
        let waiters = state.withLock { state -> [Race<Void>] in
            if let record { state.records.append(record) }
            return isHeld ? state.end() : []
        }
        for waiter in waiters { waiter.finish(.success(())) }
    }

    /// Changes a record. Ends a write that was under way when `isEnd`.
    func update(_ index: Int, to record: WriteRecord, isEnd: Bool = false) {
        let waiters = state.withLock { state -> [Race<Void>] in
            state.records[index] = record
            return isEnd ? state.end() : []
        }
        for waiter in waiters { waiter.finish(.success(())) }
    }

    /// Waits for the writes that nothing delays; debounced ones stay `scheduled`. Throws when the task is cancelled.
    package func settle() async throws {
        let race = Race<Void>()
        let joined = state.withLock { state in
            if state.underWay == 0 { race.finish(.success(())) } else { state.waiters.append(race) }
            return state.joined
        }
        try await race.value()
        for log in joined { try await log.settle() }
    }

    func joined(by other: WriteLog?) -> WriteLog {
        if let other { state.withLock { $0.joined.append(other) } }
        return self
    }
}

/// The record of one cache's write of an answer.
public struct WriteRecord: Sendable {
    /// The result, as it stands in traces and envelopes.
    ///
    /// New cases may come: switch with a `default`.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The cache holds it.
        case written
        /// The answer will be written: it is debounced, or written in the background.
        case scheduled
        /// The cache held the same value, and has its new times: the value itself was not written again.
        case renewed
        /// The cache holds the same value, fresh and confirmed no earlier: nothing was written.
        case unchanged
        /// The cache could not be written.
        case failed
        /// The answer was not written on purpose.
        case skipped
    }

    /// The name of the source.
    public let source: String
    /// The outcome of the write to this cache.
    public let outcome: Outcome
    /// The reason, for `failed` and `skipped`.
    public let reason: String?
    /// The error behind it, as the source threw it.
    public let error: (any Error)?
    /// Indicates whether it is written after the same write had failed.
    package var isRecovery = false

    init(_ source: String, _ outcome: Outcome, reason: String? = nil, error: (any Error)? = nil) {
        self.source = source
        self.outcome = outcome
        self.reason = reason
        self.error = error
    }

    /// The record as it stands when the wait is over: a write that has not ended failed, for `reason`.
    package func givenUp(because reason: String) -> WriteRecord {
        outcome == .scheduled ? WriteRecord(source, .failed, reason: reason) : self
    }
}

extension WriteRecord: CustomStringConvertible {
    /// `disk: failed (no space left)`.
    public var description: String {
        "\(source): \(outcome.rawValue)" + (reason.map { " (\($0))" } ?? "")
    }
}
