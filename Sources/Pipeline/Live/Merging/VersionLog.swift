/// The latest version of each item that changed lately, removed ones included (tombstones).
///
/// One is kept until a load that began after it has landed, at least for ``life``, and as many as ``ChangeLog`` keeps changes.
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

    private(set) var records: [ItemID: Record] = [:]
    // In order of arrival. Those whose record has another number are gone.
    private var queue: [(id: ItemID, number: UInt64)] = []
    private var start = 0
    private var bytes = 0

    subscript(id: ItemID) -> Record? { records[id] }

    /// Keeps what is known of `id`; nil forgets it.
    mutating func set(_ record: Record?, for id: ItemID) {
        let old = record.map { records.updateValue($0, forKey: id) } ?? records.removeValue(forKey: id)
        bytes += (record?.item?.count ?? 0) - (old?.item?.count ?? 0)
        guard let record else { return }
        queue.append((id, record.number))
        while records.count > ChangeLog.mostChanges || bytes > ChangeLog.mostBytes, removeFirst() {}
        if queue.count > 2 * ChangeLog.mostChanges { sweep() }
    }

    /// Forgets what a load has seen that began after the change of this number, where it is old enough.
    mutating func forget(upTo number: UInt64, before moment: Timestamp) {
        sweep()
        while start < queue.count, queue[start].number <= number {
            guard let record = records[queue[start].id], record.number == queue[start].number else {
                start += 1
                continue
            }
            guard record.at <= moment else { return }
            _ = removeFirst()
        }
    }

    private mutating func removeFirst() -> Bool {
        guard start < queue.count else { return false }
        let (id, number) = queue[start]
        start += 1
        if let record = records[id], record.number == number {
            records[id] = nil
            bytes -= record.item?.count ?? 0
        }
        return true
    }

    private mutating func sweep() {
        queue = queue[start...].filter { records[$0.id]?.number == $0.number }
        start = 0
    }
}
