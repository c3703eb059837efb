import Pipeline
/// The latest version of each item that changed lately, removed ones included (tombstones).
///
/// One is kept until a load that began after it has landed, at least for ``life``. Of tombstones, and of the others, there are at most
/// ``mostItems``.
struct VersionLog: Sendable {
    /// What is known of an item.
    struct Record: Sendable {
        let number: UInt64
        let at: Timestamp
        let version: ItemVersion
        /// Its bytes; nil for a tombstone.
        let item: [UInt8]?
    }

    static let life = Duration.seconds(60)
    static let mostItems = 10_000
    /// The most bytes of the ids and versions of tombstones.
    static let mostTombstoneBytes = 4 << 20

    private var items = Shelf(mostBytes: ChangeLog.mostBytes)
    private var tombstones = Shelf(mostBytes: mostTombstoneBytes)

    subscript(id: ItemID) -> Record? { items.records[id] ?? tombstones.records[id] }

    /// All that is known.
    var records: [ItemID: Record] { items.records.merging(tombstones.records) { $1 } }

    /// The bytes of what is kept: of tombstones, and of all.
    var bytes: (tombstones: Int, all: Int) { (tombstones.bytes, items.bytes + tombstones.bytes) }

    /// Keeps what is known of `id`; nil forgets it.
    ///
    /// - Returns: false where that was too much, and the oldest tombstones are gone.
    @discardableResult
    mutating func set(_ record: Record?, for id: ItemID) -> Bool {
        if let record, record.item == nil {
            items.set(nil, for: id)
            return tombstones.set(record, for: id)
        }
        tombstones.set(nil, for: id)
        items.set(record, for: id)
        return true
    }

    /// Forgets what a load has seen that began after the change of this number, where it is old enough.
    mutating func forget(upTo number: UInt64, before moment: Timestamp) {
        items.forget(upTo: number, before: moment)
        tombstones.forget(upTo: number, before: moment)
    }
}

/// Records in order of arrival, up to a number and a size.
private struct Shelf: Sendable {
    let mostBytes: Int
    private(set) var records: [ItemID: VersionLog.Record] = [:]
    private(set) var bytes = 0
    // Those whose record has another number are gone.
    private var queue: [(id: ItemID, number: UInt64)] = []
    private var start = 0

    init(mostBytes: Int) { self.mostBytes = mostBytes }

    /// False where the oldest are gone.
    @discardableResult
    mutating func set(_ record: VersionLog.Record?, for id: ItemID) -> Bool {
        let old = record.map { records.updateValue($0, forKey: id) } ?? records.removeValue(forKey: id)
        bytes -= old?.size(with: id) ?? 0
        guard let record else { return true }
        bytes += record.size(with: id)
        queue.append((id, record.number))
        if queue.count - start > 2 * VersionLog.mostItems { sweep() }
        var isAll = true
        while records.count > VersionLog.mostItems || bytes > mostBytes, let isRecord = removeFirst() {
            if isRecord { isAll = false }
        }
        return isAll
    }

    mutating func forget(upTo number: UInt64, before moment: Timestamp) {
        sweep()
        while start < queue.count, queue[start].number <= number {
            if let record = records[queue[start].id], record.number == queue[start].number, record.at > moment { return }
            _ = removeFirst()
        }
    }

    /// Whether a record was removed; nil where there is nothing.
    private mutating func removeFirst() -> Bool? {
        guard start < queue.count else { return nil }
        let (id, number) = queue[start]
        start += 1
        guard let record = records[id], record.number == number else { return false }
        records[id] = nil
        bytes -= record.size(with: id)
        return true
    }

    private mutating func sweep() {
        queue = queue[start...].filter { records[$0.id]?.number == $0.number }
        start = 0
    }
}

extension VersionLog.Record {
    /// How many bytes it has, with its id.
    fileprivate func size(with id: ItemID) -> Int { id.text.utf8.count + version.size + (item?.count ?? 0) }
}
