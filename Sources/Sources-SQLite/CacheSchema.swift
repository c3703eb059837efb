internal import GRDB
internal import Pipeline

/// The tables of a cache's database, and how one tells that a database is a cache.
enum CacheSchema {
    /// `Pipe` in ASCII, in the header of every database that a cache made.
    static let applicationID: Int32 = 0x5069_7065

    private static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 entries") { db in
            try db.execute(sql: entries)
            try db.execute(sql: totals)
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
        }
        migrator.registerMigration("2 leases") { db in
            try db.execute(sql: leases)
        }
        migrator.registerMigration("3 cache control") { db in
            try db.execute(sql: "ALTER TABLE entries ADD COLUMN cache_control TEXT; ALTER TABLE entries ADD COLUMN variant TEXT")
        }
        return migrator
    }()

    /// Throws unless the database is a cache's, or still empty. Changes nothing.
    static func expectCache(_ db: Database, at path: String) throws {
        try expectCache(at: path) { try Int.fetchOne(db, sql: $0) }
    }

    /// Makes the tables that are missing.
    static func migrate(_ pool: DatabasePool, at path: String) throws {
        if try !isWhole(pool, at: path) { try migrator.migrate(pool) }
    }

    /// Indicates whether no tables are missing. Throws for a database that a newer version made.
    static func isWhole(_ pool: DatabasePool, at path: String) throws -> Bool {
        if try pool.read(migrator.hasBeenSuperseded) { throw SourceError.refusedAsNewer(path) }
        return try pool.read(migrator.hasCompletedMigrations)
    }

    /// Throws what ``expectCache(_:at:)`` and ``migrate(_:at:)`` do, and what SQLite finds wrong with the pages.
    static func expectUsable(_ connection: LookingConnection, at path: String) throws {
        try expectCache(at: path, connection.number)
        let isMigrated = try connection.number("SELECT count(*) FROM sqlite_master WHERE name = 'grdb_migrations'") != 0
        let applied = isMigrated ? try connection.texts("SELECT identifier FROM grdb_migrations") : []
        guard Set(applied).isSubset(of: migrator.migrations) else { throw SourceError.refusedAsNewer(path) }
        try connection.expectSound()
    }

    /// - Parameter number: gives what a query finds.
    private static func expectCache(at path: String, _ number: (_ sql: String) throws -> Int?) throws {
        let found = try number("PRAGMA application_id")
        guard found != Int(applicationID) else { return }
        let tables = try number(
            "SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'grdb\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        guard found == 0, tables == 0 else {
            throw SourceError.refused(path, because: "it is a database of something else")
        }
    }

    private static let entries = """
        CREATE TABLE entries (
            key TEXT NOT NULL PRIMARY KEY,
            pipeline TEXT NOT NULL,
            payload BLOB,
            size INTEGER,
            created INTEGER NOT NULL,
            stored INTEGER,
            fresh_until INTEGER,
            etag TEXT,
            last_modified TEXT,
            content_type TEXT,
            version TEXT,
            source TEXT,
            used INTEGER NOT NULL
        );
        CREATE INDEX entries_by_pipeline ON entries (pipeline);
        CREATE INDEX entries_by_use ON entries (used);
        """

    /// The table of the processes that load a key now, for the processes that share the database.
    private static let leases = """
        CREATE TABLE leases (key TEXT NOT NULL PRIMARY KEY, holder TEXT NOT NULL, expires INTEGER NOT NULL);
        """

    /// The totals, counted along, so that a write need not count the table; by triggers, so that every process counts.
    private static let totals = """
        CREATE TABLE totals (entries INTEGER NOT NULL, bytes INTEGER NOT NULL);
        INSERT INTO totals VALUES (0, 0);
        CREATE TRIGGER entries_count_insert AFTER INSERT ON entries BEGIN
            UPDATE totals SET entries = entries + 1, bytes = bytes + ifnull(new.size, 0);
        END;
        CREATE TRIGGER entries_count_delete AFTER DELETE ON entries BEGIN
            UPDATE totals SET entries = entries - 1, bytes = bytes - ifnull(old.size, 0);
        END;
        CREATE TRIGGER entries_count_update AFTER UPDATE OF size ON entries BEGIN
            UPDATE totals SET bytes = bytes - ifnull(old.size, 0) + ifnull(new.size, 0);
        END;
        """
}
