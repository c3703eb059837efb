internal import GRDB
internal import Pipeline

/// The tables of an outbox, and how one tells that a database is one.
enum OutboxSchema {
    /// `Pipo` in ASCII, in the header of every database that an outbox made.
    static let applicationID: Int32 = 0x5069_706F
    /// The version of the tables, in the header, too.
    static let version = 1
    /// The states of sends that count for no bound, as a list in SQL.
    static let uncounted = "('sent', 'dropped', 'merged')"

    /// Throws unless the database is an outbox of this version, or still empty. Changes nothing.
    static func expectOutbox(_ db: Database, at path: String) throws {
        _ = try isMade(at: path) { try Int.fetchOne(db, sql: $0) }
    }

    /// Throws unless the database is an outbox of this version, or still empty. Changes nothing.
    static func expectOutbox(_ connection: LookingConnection, at path: String) throws {
        _ = try isMade(at: path) { try connection.number($0) }
    }

    /// Makes the tables if the database is empty, and has it keep a log (WAL).
    ///
    /// The tables come first: a database whose log is lost then still says whose it is.
    static func make(in db: Database, at path: String) throws {
        if try !isMade(at: path, { try Int.fetchOne(db, sql: $0) }) {
            try db.transaction {
                // A file system without locks lets two processes come here.
                guard try !isMade(at: path, { try Int.fetchOne(db, sql: $0) }) else { return }
                try db.execute(sql: sends + lanes + outbox)
                try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
            }
        }
        // A file system that cannot share memory keeps the journal that it has, which is as safe.
        guard try String.fetchOne(db, sql: "PRAGMA journal_mode") != "wal" else { return }
        _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
    }

    /// Indicates whether the tables are there. Throws for a database that is not this outbox's to use.
    ///
    /// - Parameter number: gives what a query finds.
    private static func isMade(at path: String, _ number: (_ sql: String) throws -> Int?) throws -> Bool {
        let (found, version) = (try number("PRAGMA application_id"), try number("PRAGMA user_version"))
        guard found == Int(applicationID) else {
            let isEmpty = try number("SELECT count(*) FROM sqlite_master") == 0
            guard found == 0, version == 0, isEmpty else { throw foreign(path, isCache: found == Int(CacheSchema.applicationID)) }
            return false
        }
        guard let version, version > 0 else { throw SourceError.notAsWritten(path, "its version") }
        guard version <= Self.version else { throw SourceError.refusedAsNewer(path) }
        return true
    }

    private static func foreign(_ path: String, isCache: Bool) -> SourceError {
        .refused(path, because: isCache ? "it is the database of a cache" : "it is a database of something else")
    }

    /// The sends. `AUTOINCREMENT`: a number is never used again, also after the last row is gone. The payload comes last, so that a look at
    /// the rest of a row does not read it. Times are nanoseconds since 1970 by the wall clock.
    private static let sends = """
        CREATE TABLE sends (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            state TEXT NOT NULL,
            settled INTEGER NOT NULL,
            change INTEGER NOT NULL,
            name TEXT NOT NULL,
            arguments TEXT NOT NULL,
            tag TEXT,
            taken INTEGER NOT NULL,
            reason TEXT,
            tries INTEGER NOT NULL,
            faults INTEGER NOT NULL,
            conflicts INTEGER NOT NULL,
            first_try INTEGER,
            first_uncertain INTEGER,
            next_try INTEGER,
            not_before INTEGER,
            priority INTEGER,
            status INTEGER,
            detail TEXT,
            made_id TEXT,
            ended INTEGER,
            holder TEXT,
            owner TEXT NOT NULL,
            content TEXT,
            answer BLOB,
            payload BLOB
        );
        CREATE INDEX sends_by_change ON sends (change);
        CREATE TRIGGER sends_changed AFTER UPDATE OF state, payload ON sends
        WHEN old.state IS NOT new.state OR length(old.payload) IS NOT length(new.payload) BEGIN
            UPDATE outbox SET
                entries = entries + (new.state NOT IN \(uncounted)) - (old.state NOT IN \(uncounted)),
                bytes = bytes + (new.state NOT IN \(uncounted)) * ifnull(length(new.payload), 0)
                    - (old.state NOT IN \(uncounted)) * ifnull(length(old.payload), 0);
            DELETE FROM lanes WHERE number = new.number AND new.state IN \(uncounted);
            UPDATE lanes SET waits = (new.state <> 'failed') WHERE number = new.number AND waits IS NOT (new.state <> 'failed');
        END;
        CREATE TRIGGER sends_removed AFTER DELETE ON sends BEGIN
            DELETE FROM lanes WHERE number = old.number;
            UPDATE outbox SET entries = entries - 1, bytes = bytes - ifnull(length(old.payload), 0)
            WHERE old.state NOT IN \(uncounted);
        END;

        """

    /// The lanes of sends that are not done; those of failed ones are kept without being counted, in case that they are tried again.
    private static let lanes = """
        CREATE TABLE lanes (
            lane TEXT NOT NULL, number INTEGER NOT NULL, waits INTEGER NOT NULL, PRIMARY KEY (lane, number)
        ) WITHOUT ROWID;
        CREATE INDEX lanes_by_number ON lanes (number);

        """

    /// One row: the number of the last change, what counts for the bounds, the salt of hashes, and who delivers until when. Taking in
    /// counts along, and so do the triggers: for every process, and for a person who removes rows.
    private static let outbox = """
        CREATE TABLE outbox (
            change INTEGER NOT NULL, entries INTEGER NOT NULL, bytes INTEGER NOT NULL, salt BLOB NOT NULL,
            lease_holder TEXT, lease_end INTEGER
        );
        INSERT INTO outbox (change, entries, bytes, salt) VALUES (0, 0, 0, randomblob(16));

        """
}

extension Database {
    /// The value of `body` in a transaction.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        var value: Value?
        try inTransaction(.immediate) {
            value = try body()
            return .commit
        }
        guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return value
    }
}

extension SourceError {
    /// An outbox that another program has changed.
    ///
    /// - Parameter part: what of it.
    static func notAsWritten(_ path: String, _ part: String) -> SourceError {
        SourceError(
            "\(path) is not as an outbox wrote it: \(part) is wrong", kind: .invalid,
            help: "put a copy in its place, or name another file as `path`")
    }
}
