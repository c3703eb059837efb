internal import GRDB
internal import Pipeline

/// How much a cache keeps.
struct CacheBound: Sendable {
    /// Over the bound, this part of it is made free at once, so that not every write has to look for what goes.
    private static let slack = 32

    let maxEntries: Int?
    let maxBytes: Size?

    var isSet: Bool { maxEntries != nil || maxBytes != nil }

    /// Whether a payload of `size` bytes is kept when nothing else is.
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
