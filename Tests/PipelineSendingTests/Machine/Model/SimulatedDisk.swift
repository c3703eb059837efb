import Pipeline

@testable import PipelineSending

/// The database of an outbox. Its times are those of the wall clock.
struct SimulatedDisk {
    struct Row {
        var row: SendRow
        /// The number of the transaction that wrote it last.
        var change: Int64
    }

    private(set) var rows: [Int64: Row] = [:]
    private(set) var change: Int64 = 0
    private(set) var lease: (holder: String, end: Timestamp)?

    var numbers: [Int64] { rows.keys.sorted() }

    func row(_ id: String) -> SendRow? { rows.values.first { $0.row.id == id }?.row }

    mutating func takeIn(_ row: SendRow) {
        change += 1
        let number = Int64(rows.count + 1)
        rows[number] = Row(row: row.numbered(number), change: change)
    }

    /// Whether somebody has written a row after a transaction.
    func isNewer(_ number: Int64, than known: Int64) -> Bool { rows[number].map { $0.change > known } ?? true }

    /// Writes one row of a transaction.
    mutating func write(_ row: SendRow) { rows[row.number] = Row(row: row, change: change) }

    mutating func begin() { change += 1 }

    /// What was written after a transaction.
    func news(since mark: Int64) -> [Row] { rows.values.filter { $0.change > mark }.sorted { $0.row.number < $1.row.number } }

    /// Takes the lease or renews it; false if another process has it.
    mutating func lease(_ holder: String, until end: Timestamp, at now: Timestamp, alive: [String]) -> Bool {
        if let lease, lease.holder != holder, lease.end > now, alive.contains(lease.holder) { return false }
        lease = (holder, end)
        return true
    }
}
