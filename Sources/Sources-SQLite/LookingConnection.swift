internal import GRDB
internal import GRDBSQLite
internal import Pipeline

/// A connection that looks at a database and leaves nothing beside it.
///
/// SQLite makes a log beside a database that keeps a log (WAL), even to read it, unless it is told that no process writes. None
/// does when there is no log.
final class LookingConnection {
    private(set) var pointer: OpaquePointer?
    /// The connection asks it, and does not keep it.
    private let wait: BusyWait

    /// Opens the database in `file`, which is there. Throws `DatabaseError` for one that cannot be opened or read.
    init(to file: DiskFile, waiting wait: BusyWait) throws {
        self.wait = wait
        let hasLog = try DiskFile(path: file.path + "-wal").identity() != nil
        let path = file.path.hasPrefix("/") ? file.path : "./" + file.path
        let name = "file:\(PercentEncoding.path.encoded(path))\(hasLog ? "" : "?immutable=1")"
        guard sqlite3_open_v2(name, &pointer, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK else {
            throw failure
        }
        wait.wait(on: pointer)
        // Opening alone does not look into the file.
        _ = try texts("SELECT 1 FROM sqlite_master LIMIT 1")
    }

    deinit { sqlite3_close_v2(pointer) }

    /// The last error.
    var failure: DatabaseError {
        guard let pointer else { return DatabaseError(resultCode: .SQLITE_NOMEM) }
        return DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_errcode(pointer)), message: sqlite3_errmsg(pointer).map { String(cString: $0) })
    }

    /// The number of pages from which on a database is not read only to look at it: 64 MiB with pages of the usual size.
    private static let mostCheckedPages = 16_384

    /// Throws what SQLite finds wrong with the pages, unless there are many.
    func expectSound() throws {
        guard try number("PRAGMA page_count") ?? 0 <= Self.mostCheckedPages else { return }
        guard try texts("PRAGMA quick_check(1)") == ["ok"] else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "database disk image is malformed")
        }
    }

    /// The first value of a query, if it is a number.
    func number(_ sql: String) throws -> Int? { try texts(sql).first.flatMap { Int($0) } }

    /// The first value of each row of a query, as text.
    func texts(_ sql: String) throws -> [String] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(pointer, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
        var texts: [String] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
            case SQLITE_DONE: return texts
            default: throw failure
            }
        }
    }
}
