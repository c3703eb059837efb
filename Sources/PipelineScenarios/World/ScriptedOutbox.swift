internal import Pipeline
import PipelineSending
private import Synchronization

/// The rows of an outbox of a test, with wall times, and its script. They outlive the processes of a test, as a database does.
final class OutboxDisk: Sendable {
    private struct Kept {
        /// The send as it was taken in: ids in it may have been replaced since.
        let taken: SendRow
        let lanes: [String]
        var row: SendRow
    }

    private struct State {
        var kept: [Int64: Kept] = [:]
        var last: Int64 = 0
        var outage = GivenOutage()
        var takes = Duration.zero
        /// The number of processes that have begun to use it.
        var processes = 0

        var rows: [SendRow] { kept.values.map(\.row).sorted { $0.number < $1.number } }
    }

    let name: String
    let log: SourceLog
    private let state = Mutex(State())

    init(_ name: String, log: SourceLog) {
        (self.name, self.log) = (name, log)
    }

    /// The rows, by number.
    var rows: [SendRow] { state.withLock(\.rows) }
    var takes: Duration { state.withLock(\.takes) }

    func set(outage: Outage, at elapsed: Int64) {
        state.withLock { $0.outage = GivenOutage(outage: outage, since: elapsed) }
    }

    func set(takes: Duration) { state.withLock { $0.takes = takes } }

    /// Throws while the outbox is down for reads, or for writes.
    fileprivate func checkUp(forReads isRead: Bool, at elapsed: Int64) throws {
        try state.withLock(\.outage).check(forReads: isRead, at: elapsed)
    }

    /// The name of one more process that uses it.
    fileprivate func nextHolder() -> String {
        state.withLock { state in
            state.processes += 1
            return "process \(state.processes)"
        }
    }

    fileprivate func takeIn(_ row: SendRow, lanes: [String], within bounds: OutboxBounds) -> TakenIn {
        state.withLock { state in
            if let known = state.kept.values.first(where: { $0.row.id == row.id }) {
                let isSame = known.taken.isSame(as: row) || known.row.isSame(as: row)
                return isSame ? .known(known.row) : .refused(.knownID(row.id))
            }
            if let reason = Self.refusal(of: row, lanes, among: Array(state.kept.values), within: bounds) {
                return .refused(SendRefusal(.full, reason))
            }
            state.last += 1
            let row = row.numbered(state.last)
            state.kept[row.number] = Kept(taken: row, lanes: lanes, row: row)
            return .new(row)
        }
    }

    /// The reason why there is no room for a send; nil if there is.
    private static func refusal(of row: SendRow, _ lanes: [String], among kept: [Kept], within bounds: OutboxBounds) -> String? {
        let counted = kept.filter(\.row.state.isCounted)
        let bytes = counted.reduce(0) { $0 + $1.row.payload.count }
        if let reason = bounds.refusal(entries: counted.count, bytes: bytes, adding: row.payload.count) { return reason }
        let isLaneFull = lanes.contains { lane in
            kept.count { !$0.row.state.isDone && $0.lanes.contains(lane) } >= bounds.mostForLane
        }
        return isLaneFull ? bounds.laneRefusal : nil
    }

    fileprivate func write(_ rows: [SendRow]) {
        state.withLock { state in for row in rows { state.kept[row.number]?.row = row } }
    }

    /// Removes rows that were done at `end`.
    fileprivate func forget(doneAt end: Timestamp) {
        state.withLock { state in
            state.kept = state.kept.filter { _, kept in kept.row.state.isCounted || kept.row.ended.map { $0 > end } ?? true }
        }
    }
}

/// A scripted outbox as one process sees it, the only one at its time.
final class ScriptedOutbox: OutboxSource {
    /// The time for which sends are kept that are done.
    private static let keeping = Duration.seconds(86_400)

    private let disk: OutboxDisk
    private let access: ScriptedAccess
    let bounds: OutboxBounds
    let holder: String
    let isShared = false

    init(_ disk: OutboxDisk, within bounds: OutboxBounds, _ access: ScriptedAccess) {
        (self.disk, self.bounds, self.access) = (disk, bounds, access)
        holder = disk.nextHolder()
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }

    func open() async throws -> OutboxNews {
        try looking { rows in OutboxNews(rows.filter { $0.state.isCounted || $0.state == .sent && !$0.isSettled }, mark: 0) }
    }

    func row(_ id: String) async throws -> SendRow? { try looking { rows in rows.first { $0.id == id } } }

    func rows(_ states: Set<SendState>, most: Int) async throws -> [SendRow] {
        try looking { rows in Array(rows.filter { states.contains($0.state) }.prefix(most)) }
    }

    func news(since mark: Int64) async throws -> OutboxNews { OutboxNews([], mark: mark) }

    func takeIn(_ rows: [SendRow], lanes: [[String]]) async throws -> [TakenIn] {
        try await change()
        return zip(rows, lanes).map { row, lanes in
            switch disk.takeIn(stored(row), lanes: lanes, within: bounds) {
            case .new(let row): .new(restored(row))
            case .known(let row): .known(restored(row))
            case .refused(let reason): .refused(reason)
            }
        }
    }

    func write(_ rows: [SendRow]) async throws {
        try await change()
        disk.write(rows.map(stored))
    }

    func forgetOld(at now: Timestamp) async throws { disk.forget(doneAt: access.clock.wallTime(of: now - Self.keeping)) }

    func lease(_ holder: String, until end: Timestamp) async throws -> Bool {
        try access.check()
        try disk.checkUp(forReads: false, at: access.elapsed)
        return true
    }

    func release(_ holder: String) async {}

    func hasEnded(_ holder: String) async -> Bool { holder != self.holder }

    private func looking<Value>(_ body: ([SendRow]) -> Value) throws -> Value {
        try access.check()
        try disk.checkUp(forReads: true, at: access.elapsed)
        return body(disk.rows.map(restored))
    }

    private func change() async throws {
        try await access.pass(disk.takes, for: Key(pipeline: disk.name), of: disk.name, disk.log)
        try disk.checkUp(forReads: false, at: access.elapsed)
    }

    private func stored(_ row: SendRow) -> SendRow { row.moved(access.clock.wallTime) }
    private func restored(_ row: SendRow) -> SendRow { row.moved(access.clock.moment(ofWallTime:)) }
}

extension SendRow {
    /// Indicates whether it is the same send, whatever became of it.
    fileprivate func isSame(as other: SendRow) -> Bool {
        name == other.name && arguments == other.arguments && payload == other.payload
    }

    /// The row with each of its moments moved.
    fileprivate func moved(_ move: (Timestamp) -> Timestamp) -> SendRow {
        var row = self
        row.taken = move(taken)
        (row.firstTry, row.firstUncertain) = (firstTry.map(move), firstUncertain.map(move))
        (row.next, row.notBefore, row.ended) = (next.map(move), notBefore.map(move), ended.map(move))
        return row
    }
}
