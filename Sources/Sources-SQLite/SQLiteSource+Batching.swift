internal import GRDB
public import Pipeline

extension SQLiteSource {
    /// Several entries with one query.
    public var batching: Batching? {
        Batching(of: nil, most: 256) { [self] keys, _ in
            let found = try await database.read { db in try EntryRow.entries(of: keys, in: db) } ?? [:]
            for key in keys { if case .success? = found[key.text] { await noteUse(of: key) } }
            return BatchAnswer(keys.map { key in found[key.text].map { $0.map(database.clock.restored) } ?? .success(nil) })
        }
    }

    /// 256: a transaction costs more than what is written in it.
    public var mostWrittenAtOnce: Int { 256 }

    /// Stores all entries in one transaction. What fails in it fails for each.
    public func write(_ entries: [(entry: Entry, key: Key)]) async -> [(any Error)?] {
        // What will not be kept is not written. The entry before it goes all the same: it is not the value any more.
        let changes = entries.map { entry, key in
            let isKept = bound.admits(entry.payload?.count ?? 0)
            return (row: isKept ? EntryRow(database.clock.stored(entry), of: key, used: uses.nextStamp()) : nil, key: key)
        }
        let noted = uses.take()
        do {
            let count = try await database.write(making: changes.contains { $0.row != nil }) { [bound] db in
                try noted.store(in: db)
                var count = 0
                for (row, key) in changes {
                    guard let row else {
                        try db.execute(sql: "DELETE FROM entries WHERE key = ?", arguments: [key.text])
                        continue
                    }
                    try row.store(in: db)
                    count += try bound.removeExcess(in: db, sparing: row.key)
                }
                return count
            }
            for _ in 0..<(count ?? 0) { evicted(nil) }
            return changes.map { $0.row == nil ? SourceError.notKept(within: bound.maxEntries, bound.maxBytes) : nil }
        } catch {
            return changes.map { _ in error }
        }
    }
}
