internal import GRDB
public import Pipeline

/// Leases of keys in a table of the same database, so that processes that share the copies share them.
extension SQLiteSource {
    /// Takes the lease in one transaction, by the wall clock, which the processes of one machine share.
    public func takeLease(of key: Key, for holder: String, lasting duration: Duration) async throws -> Bool {
        let now = database.clock.wallNow
        let isTaken = try await database.write(making: true) { db in
            // Those of holders that died, of whatever key, so that the table does not grow.
            try db.execute(sql: "DELETE FROM leases WHERE expires <= ?", arguments: [now.nanoseconds])
            // No lease lasts that long: a clock was ahead, or another program wrote it. Its holder, if there is one, renews it.
            try db.execute(
                sql: "UPDATE leases SET expires = ?1 WHERE key = ?2 AND expires > ?1",
                arguments: [(now + duration).nanoseconds, key.text])
            try db.execute(
                sql: """
                    INSERT INTO leases (key, holder, expires) VALUES (?, ?, ?)
                    ON CONFLICT (key) DO UPDATE SET expires = excluded.expires WHERE leases.holder = excluded.holder
                    """, arguments: [key.text, holder, (now + duration).nanoseconds])
            return db.changesCount > 0
        }
        return isTaken ?? false
    }

    /// Deletes the lease, when it is the holder's. Names the holder of a fruitless one in its place, unless it has run out.
    public func releaseLease(of key: Key, by holder: String, fruitlessFor duration: Duration?) async throws {
        let now = database.clock.wallNow
        _ = try await database.write(making: false) { db in
            guard let duration else {
                return try db.execute(sql: "DELETE FROM leases WHERE key = ? AND holder = ?", arguments: [key.text, holder])
            }
            try db.execute(
                sql: "DELETE FROM leases WHERE key = ? AND holder = ? AND expires > ?", arguments: [key.text, holder, now.nanoseconds])
            guard db.changesCount > 0 else { return }
            try db.execute(
                sql: "INSERT OR REPLACE INTO leases (key, holder, expires) VALUES (?, ?, ?)",
                arguments: [Self.fruitlessName(of: key), holder, (now + duration).nanoseconds])
        }
    }

    /// The name in the table.
    public func lastFruitlessHolder(of key: Key) async throws -> String? {
        let now = database.clock.wallNow
        // Nil twice: there may be no database, or no row in it.
        return try await database.read { db in
            try Row.fetchOne(
                db, sql: "SELECT holder FROM leases WHERE key = ? AND expires > ?",
                arguments: [Self.fruitlessName(of: key), now.nanoseconds])?
                .value("holder")
        } ?? nil
    }

    /// The key of the row of a fruitless lease: no key's text has a colon in it.
    private static func fruitlessName(of key: Key) -> String { key.text + ":fruitless" }
}
