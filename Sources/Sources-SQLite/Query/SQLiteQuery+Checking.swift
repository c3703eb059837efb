internal import GRDBSQLite
public import Pipeline

extension SQLiteQuery: CheckableSource {
    /// Opens the database and prepares the query; runs nothing. A query that cannot be prepared is refused.
    public func check() async throws -> Reachability {
        try Task.checkCancellation()
        guard !database.isClosed else { throw SourceError("the source is closed") }
        try await database.waiting { [database, query] wait in try Self.prepare(query, in: database, waiting: wait) }
        return .reachable
    }

    /// With a connection of its own, which leaves nothing beside the database: SQLite makes a log beside one that keeps a log (WAL), even to
    /// read it, unless it is told that nobody writes. Nobody does when there is no log.
    private static func prepare(_ query: SQLQuery, in database: QueryDatabase, waiting wait: BusyWait) throws {
        let path = database.path
        guard try database.file.identity() != nil else { throw SourceError.cannot("open", path, because: "no such file or directory") }
        try database.file.expectReadable()
        let hasLog = try DiskFile(path: path + "-wal").identity() != nil
        let name = "file:\(PercentEncoding.path.encoded(path.hasPrefix("/") ? path : "./" + path))\(hasLog ? "" : "?immutable=1")"
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        func failure(_ action: String) -> SourceError {
            let words = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "out of memory"
            switch sqlite3_errcode(connection) {
            case SQLITE_ERROR: return SourceError(refused: words)
            case SQLITE_BUSY: return .cannot(action, path, because: "somebody else holds it")
            default: return .cannot(action, path, because: words)
            }
        }
        guard sqlite3_open_v2(name, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK else {
            throw failure("open")
        }
        wait.wait(on: connection)
        // A query of no table would not look into the file.
        guard sqlite3_exec(connection, "SELECT 1 FROM sqlite_master LIMIT 1", nil, nil, nil) == SQLITE_OK else { throw failure("open") }
        try query.text.withCString { text in
            var rest: UnsafePointer<CChar>?
            var (first, second): (OpaquePointer?, OpaquePointer?)
            defer { for statement in [first, second] { sqlite3_finalize(statement) } }
            guard sqlite3_prepare_v2(connection, text, -1, &first, &rest) == SQLITE_OK, let first else { throw failure("query") }
            try QueryStatement(pointer: first).expectQuery()
            guard sqlite3_prepare_v2(connection, rest, -1, &second, nil) == SQLITE_OK, second == nil else {
                throw SourceError(refused: "the query is more than one statement")
            }
        }
    }
}
