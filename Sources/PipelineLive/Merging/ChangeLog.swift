import Pipeline
/// The changes of a key in order of arrival, for as long as a load that runs may have missed them.
struct ChangeLog: Sendable {
    /// A change and when it came.
    struct Record: Sendable {
        let number: UInt64
        let at: Timestamp
        let change: Change
    }

    static let mostChanges = 10_000
    static let mostBytes = 64 << 20

    /// The number of the last change.
    private(set) var number: UInt64 = 0
    private var records: [Record] = []
    // The records before it are gone.
    private var start = 0
    private(set) var bytes = 0

    var first: Record? { start < records.count ? records[start] : nil }
    var count: Int { records.count - start }

    /// Whether another change of this size exceeds what is kept.
    func isFull(for change: Change) -> Bool { count >= Self.mostChanges || bytes + change.size > Self.mostBytes }

    /// Numbers a change, which ``append(_:at:)`` may keep.
    mutating func count(_ change: Change) { number += 1 }

    /// Keeps a change that was counted.
    mutating func append(_ change: Change, at moment: Timestamp) {
        records.append(Record(number: number, at: moment, change: change))
        bytes += change.size
    }

    mutating func removeFirst() {
        guard let first else { return }
        bytes -= first.change.size
        start += 1
        guard start * 2 > records.count else { return }
        records.removeFirst(start)
        start = 0
    }

    mutating func removeAll() {
        records = []
        (start, bytes) = (0, 0)
    }

    /// The changes after that number, and those that came from `moment` on.
    func records(after number: UInt64, from moment: Timestamp) -> [Record] {
        records[start...].filter { $0.number > number || $0.at >= moment }
    }
}
