import Pipeline
import PipelineSending
import Synchronization

/// An outbox whose disk is in memory: several of them may have one.
final class MemoryOutbox: OutboxSource {
    /// What outlives a process.
    final class Disk: Sendable {
        struct State {
            var rows: [Int64: (row: SendRow, change: Int64, writer: String)] = [:]
            var lanes: [Int64: [String]] = [:]
            var last: Int64 = 0
            var changes: Int64 = 0
            var lease: (holder: String, end: Timestamp)?
            var ended: Set<String> = []
            var failure: SourceError?
            var commits = 0
        }

        let state = Mutex(State())

        /// The rows, by number.
        var rows: [SendRow] { state.withLock { $0.rows.values.map(\.row).sorted { $0.number < $1.number } } }
        var commits: Int { state.withLock(\.commits) }

        /// Nothing can be written from now on, or again.
        func fail(_ failure: SourceError?) { state.withLock { $0.failure = failure } }
        /// The process called `holder` gives a send up.
        func drop(_ number: Int64, by holder: String) {
            state.withLock { state in
                state.changes += 1
                guard var row = state.rows[number]?.row else { return }
                row.state = .dropped
                state.rows[number] = (row, state.changes, holder)
            }
        }
        /// The process called `holder` has ended.
        func end(_ holder: String) { state.withLock { _ = $0.ended.insert(holder) } }
    }

    let disk: Disk
    let holder: String
    let clock: PipelineClock
    var bounds: OutboxBounds { limits }
    private let limits: OutboxBounds

    init(_ disk: Disk = Disk(), holder: String = "one", bounds: OutboxBounds = OutboxBounds(), on clock: PipelineClock) {
        (self.disk, self.holder, limits, self.clock) = (disk, holder, bounds, clock)
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }

    func open() async throws -> OutboxNews {
        try disk.state.withLock { state in
            if let failure = state.failure { throw failure }
            let rows = state.rows.values.map(\.row).filter { row in
                row.owner == limits.owner && (!row.state.isDone || row.state == .failed || row.state == .sent && !row.isSettled)
            }
            return OutboxNews(rows.sorted { $0.number < $1.number }, mark: state.changes)
        }
    }

    func takeIn(_ rows: [SendRow], lanes: [[String]]) async throws -> [TakenIn] {
        try disk.state.withLock { state in
            if let failure = state.failure { throw failure }
            state.commits += 1
            return zip(rows, lanes).map { row, lanes in
                if let known = state.rows.values.map(\.row).first(where: { $0.id == row.id }) {
                    let isSame = known.name == row.name && known.arguments == row.arguments && known.payload == row.payload
                    return isSame ? .known(known) : .refused(.knownID(row.id))
                }
                let entries = state.rows.values.count { $0.row.state.isCounted }
                if let reason = limits.refusal(entries: entries, bytes: 0, adding: row.payload.count) {
                    return .refused(SendRefusal(.full, reason))
                }
                state.last += 1
                state.changes += 1
                state.rows[state.last] = (row.numbered(state.last), state.changes, holder)
                state.lanes[state.last] = lanes
                return .new(row.numbered(state.last))
            }
        }
    }

    func write(_ rows: [SendRow]) async throws {
        try disk.state.withLock { state in
            if let failure = state.failure { throw failure }
            state.commits += 1
            for row in rows {
                let known = state.rows[row.number]?.row
                let isOver = [.sent, .dropped, .merged].contains(known?.state)
                let isTriedSince = known.map { $0.tries > row.tries && $0.holder != holder } ?? false
                if isOver || isTriedSince, row.state != .sent { continue }
                state.changes += 1
                state.rows[row.number] = (row, state.changes, holder)
            }
        }
    }

    func news(since mark: Int64) async throws -> OutboxNews {
        disk.state.withLock { state in
            let rows = state.rows.values.filter { $0.change > mark && $0.writer != holder && $0.row.owner == limits.owner }.map(\.row)
            return OutboxNews(rows.sorted { $0.number < $1.number }, mark: state.changes)
        }
    }

    func row(_ id: String) async throws -> SendRow? {
        disk.state.withLock { state in state.rows.values.map(\.row).first { $0.id == id && $0.owner == limits.owner } }
    }

    func rows(_ states: Set<SendState>, most: Int) async throws -> [SendRow] {
        Array(disk.rows.filter { states.contains($0.state) && $0.owner == limits.owner }.prefix(most))
    }

    func lease(_ holder: String, until end: Timestamp) async throws -> Bool {
        disk.state.withLock { [clock] state in
            if let lease = state.lease, lease.holder != holder, lease.end > clock.now, !state.ended.contains(lease.holder) { return false }
            state.lease = (holder, end)
            return true
        }
    }

    func release(_ holder: String) async {
        disk.state.withLock { if $0.lease?.holder == holder { $0.lease = nil } }
    }

    func hasEnded(_ holder: String) async -> Bool { disk.state.withLock { $0.ended.contains(holder) } }

    func forgetOld(at now: Timestamp) async throws {}
}
