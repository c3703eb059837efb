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
