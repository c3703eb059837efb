internal import GRDB
internal import GRDBSQLite
public import Pipeline

extension SQLiteQuery {
    /// Opens the database and prepares the query; runs nothing. A query that cannot be prepared is refused.
    public func check() async throws -> Reachability {
        try Task.checkCancellation()
        guard !database.isClosed else { throw SourceError("the source is closed") }
        for query in [query] + (batch.map { [$0.query(count: 2)] } ?? []) {
            try await database.waiting { [database] wait in try Self.prepare(query, in: database, waiting: wait) }
        }
        return .reachable
    }

    private static func prepare(_ query: SQLQuery, in database: QueryDatabase, waiting wait: BusyWait) throws {
        let path = database.path
        guard try database.file.identity() != nil else { throw SourceError.cannot("open", path, because: "no such file or directory") }
        try database.file.expectReadable()
        let connection: LookingConnection
        do {
            connection = try LookingConnection(to: database.file, waiting: wait)
        } catch let error as DatabaseError {
            throw words(for: error, "open", path)
        }
        func failure() -> SourceError { words(for: connection.failure, "query", path) }
        try query.text.withCString { text in
            var rest: UnsafePointer<CChar>?
            var (first, second): (OpaquePointer?, OpaquePointer?)
            defer { for statement in [first, second] { sqlite3_finalize(statement) } }
            guard sqlite3_prepare_v2(connection.pointer, text, -1, &first, &rest) == SQLITE_OK, let first else { throw failure() }
            try QueryStatement(pointer: first).expectQuery()
            guard sqlite3_prepare_v2(connection.pointer, rest, -1, &second, nil) == SQLITE_OK, second == nil else {
                throw SourceError("the query is more than one statement", kind: .refused)
            }
        }
    }

    private static func words(for error: DatabaseError, _ action: String, _ path: String) -> SourceError {
        let words = error.message ?? "error \(error.resultCode.rawValue)"
        return switch error.resultCode {
        case .SQLITE_ERROR: SourceError(words, kind: .refused)
        case .SQLITE_BUSY: .cannot(action, path, because: "another process has it locked")
        default: .cannot(action, path, because: words)
        }
    }
}
