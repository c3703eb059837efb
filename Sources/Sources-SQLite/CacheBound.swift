internal import GRDB
internal import Pipeline

/// The bounds of a cache.
struct CacheBound: Sendable {
    /// The part of the bound that is made free at once over it, so that not every write has to look for what goes.
    private static let slack = 32

    let maxEntries: Int?
    let maxBytes: Size?

    var isSet: Bool { maxEntries != nil || maxBytes != nil }

    /// Indicates whether a payload of `size` bytes is kept if nothing else is.
    func admits(_ size: Int) -> Bool {
        maxEntries != 0 && maxBytes.map { size <= $0.bytes } ?? true
    }

    /// Deletes the rows that were used least recently until what is left is within the bound; tells how many.
    ///
    /// - Parameter key: stays, whatever another process's clock says.
    func removeExcess(in db: Database, sparing key: String) throws -> Int {
        guard isSet else { return 0 }
        var totals = try CacheTotals(of: db)
        guard totals.entries > maxEntries ?? .max || totals.bytes > maxBytes?.bytes ?? .max else { return 0 }
        let mostEntries = maxEntries.map { $0 - $0 / Self.slack } ?? .max
        let mostBytes = maxBytes.map { $0.bytes - $0.bytes / Self.slack } ?? .max
        var isOver: Bool { totals.entries > mostEntries || totals.bytes > mostBytes }
        var keys: [String] = []
        let rows = try Row.fetchCursor(
            db, sql: "SELECT key, ifnull(length(payload), 0) AS size FROM entries WHERE key <> ? ORDER BY used", arguments: [key])
        while isOver, let row = try rows.next() {
            guard let key: String = row.value("key") else { continue }
            keys.append(key)
            totals.remove(bytes: row.value("size") ?? 0)
        }
        let delete = try db.cachedStatement(sql: "DELETE FROM entries WHERE key = ?")
        for key in keys { try delete.execute(arguments: [key]) }
        // With one entry left there is nothing to be over: what was counted along is wrong.
        if isOver { try CacheTotals.recount(in: db) }
        return keys.count
    }
}

/// The number of entries that a cache holds, and of the bytes of their payloads, as triggers count them along.
///
/// Another program can write anything into the table. Numbers that cannot be are counted anew.
struct CacheTotals: Sendable {
    private(set) var entries: Int
    private(set) var bytes: Int

    /// Reads the numbers of `db`.
    init(of db: Database) throws {
        if let counted = try Self.read(in: db) {
            self = counted
        } else {
            try Self.recount(in: db)
            self = try Self.read(in: db) ?? CacheTotals(entries: 0, bytes: 0)
        }
    }

    private init(entries: Int, bytes: Int) {
        self.entries = entries
        self.bytes = bytes
    }

    /// One entry of so many bytes goes.
    mutating func remove(bytes gone: Int) {
        entries = max(0, entries - 1)
        bytes = max(0, bytes - min(bytes, max(0, gone)))
    }

    /// Counts the rows, after removing those that no cache wrote: their sizes would make the counters wrong again.
    static func recount(in db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM entries WHERE typeof(size) NOT IN ('integer', 'null') OR ifnull(size, 0) <> ifnull(length(payload), 0);
                DELETE FROM totals;
                INSERT INTO totals SELECT count(*), ifnull(sum(size), 0) FROM entries;
                """)
    }

    /// Reads the numbers; nil for numbers that cannot be.
    private static func read(in db: Database) throws -> CacheTotals? {
        let row = try Row.fetchOne(db, sql: "SELECT entries, bytes, (SELECT count(*) FROM totals) AS rows FROM totals")
        guard let row, let rows: Int = row.value("rows"), rows == 1, let entries: Int = row.value("entries"), entries >= 0,
            let bytes: Int = row.value("bytes"), bytes >= 0
        else { return nil }
        return CacheTotals(entries: entries, bytes: bytes)
    }
}
