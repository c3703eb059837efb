import Foundation
import GRDB

/// The least that the driver needs for the same bytes: a read in a transaction, of one column of one row, by a statement that it keeps.
struct BareDatabase {
    private let pool: DatabasePool
    private let key: String

    init(_ path: String, key: String) throws {
        pool = try DatabasePool(path: path)
        self.key = key
    }

    func read() async throws -> Data? {
        try await pool.read { [key] db in
            try Data.fetchOne(db.cachedStatement(sql: "SELECT payload FROM entries WHERE key = ?"), arguments: [key])
        }
    }
}
