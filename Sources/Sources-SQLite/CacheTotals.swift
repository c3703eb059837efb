internal import GRDB
internal import Pipeline

/// How many entries a cache holds, and how many bytes of payload, as triggers count them along.
///
/// Another program can write anything into the table. Numbers that cannot be are counted anew.
struct CacheTotals: Sendable {
    private(set) var entries: Int
    private(set) var bytes: Int

    /// What `db` holds.
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

    /// Nil for numbers that cannot be.
    private static func read(in db: Database) throws -> CacheTotals? {
        let row = try Row.fetchOne(db, sql: "SELECT entries, bytes, (SELECT count(*) FROM totals) AS rows FROM totals")
        guard let row, let rows: Int = row.value("rows"), rows == 1, let entries: Int = row.value("entries"), entries >= 0,
            let bytes: Int = row.value("bytes"), bytes >= 0
        else { return nil }
        return CacheTotals(entries: entries, bytes: bytes)
    }
}
