import GRDB
import Pipeline
import PipelineTesting

@testable import SourcesSQLite

/// A database that a user has, and queries over it.
struct Friends: Sendable {
    let folder: TemporaryFolder
    let time = ManualClock()

    static let rows = [(1, "Ada"), (2, "Grace"), (3, "Barbara")]

    /// - Parameter keepsLog: whether writers keep a log (WAL) beside the database.
    init(keepsLog: Bool = false) throws {
        folder = try TemporaryFolder()
        try run("PRAGMA journal_mode = \(keepsLog ? "WAL" : "DELETE")")
        try run("CREATE TABLE friends (id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT)")
        for (id, name) in Self.rows { try run("INSERT INTO friends VALUES (\(id), '\(name)', '0\(id)')") }
    }

    /// Changes the database as its owner does.
    func run(_ sql: String, in name: String = "friends.db") throws {
        try folder.withDatabase(name) { try $0.execute(sql: sql) }
    }

    func query(
        _ sql: String, in name: String = "friends.db", rows: QueryRows = .many, busyTimeout: Duration = .seconds(5),
        maxSize: Size = .mebibytes(64)
    ) -> SQLiteQuery {
        SQLiteQuery(
            path: folder.database(name), query: SQLQuery(sql), rows: rows, busyTimeout: busyTimeout, maxSize: maxSize, clock: time.clock)
    }

    func key(_ parameters: [String: String] = [:]) -> Key { Key(pipeline: "friends", parameters: parameters) }

    /// What `sql` gives; nil for `not_found`.
    func text(_ sql: String, _ parameters: [String: String] = [:], rows: QueryRows = .many) async throws -> String? {
        let source = query(sql, rows: rows)
        let entry = try await source.read(key(parameters))
        await source.close()
        return entry?.text
    }

    /// What `sql` fails with; the folder's path left out.
    func failure(_ sql: String, _ parameters: [String: String] = [:], in name: String = "friends.db", rows: QueryRows = .many) async
        -> String?
    {
        await failure(of: query(sql, in: name, rows: rows), parameters)
    }

    func failure(of source: SQLiteQuery, _ parameters: [String: String] = [:]) async -> String? {
        do {
            _ = try await source.read(key(parameters))
            return nil
        } catch {
            return folder.short("\(error)")
        }
    }

    /// What `check` says: nothing, or the kind and the reason.
    func checked(_ sql: String, in name: String = "friends.db") async throws -> String? {
        do {
            _ = try await query(sql, in: name).check()
            return nil
        } catch let error as SourceError {
            return "\(error.kind): \(folder.short(error.reason))"
        }
    }
}
