import GRDB
import Pipeline
import SourcesSQLite
import TestSupport

extension TemporaryFolder {
    func database(_ name: String = "cache.db") -> DatabasePath { DatabasePath(path + "/" + name) }

    /// Puts `bytes` where the database is.
    func put(_ bytes: some Sequence<UInt8>) throws { try put(bytes, into: "cache.db") }

    /// Opens a database beside the source, as another program does, outside of a transaction.
    func withDatabase<Value>(_ name: String = "cache.db", _ body: (Database) throws -> Value) throws -> Value {
        let database = try DatabaseQueue(path: path + "/" + name)
        defer { try? database.close() }
        return try database.inDatabase(body)
    }
}

/// Sources whose databases are in one folder.
protocol FolderOfDatabases {
    var folder: TemporaryFolder { get }
}

extension FolderOfDatabases {
    /// What `body` fails with; nil if it does not.
    func failure(_ body: () async throws -> Void) async throws -> SourceError? {
        do {
            try await body()
            return nil
        } catch let error as SourceError {
            return error
        }
    }

    /// The reason that `body` fails with, the folder's path left out.
    func reason(_ body: () async throws -> Void) async throws -> String? {
        try await failure(body).map { folder.short($0.reason) }
    }
}
