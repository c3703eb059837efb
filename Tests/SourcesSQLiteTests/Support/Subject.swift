import GRDB
import Pipeline
import PipelineTesting

import Testing

@testable import SourcesSQLite

/// Caches in the databases of one folder, on a manual clock.
struct Subject: FolderOfDatabases, Sendable {
    let folder: TemporaryFolder
    let time = ManualClock()
    let key = Key(pipeline: "friends", parameters: ["user": "42"])

    init(folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
    }

    func cache(
        _ name: String = "cache.db", isDurable: Bool = false, busyTimeout: Duration = .seconds(5), maxEntries: Int? = nil,
        maxBytes: Size? = nil, evicted: @escaping @Sendable (Key?) -> Void = { _ in },
        sleep: @escaping BusyWait.Sleep = BusyWait.sleep
    ) -> SQLiteSource {
        SQLiteSource(
            path: folder.database(name), isDurable: isDurable, busyTimeout: busyTimeout, maxEntries: maxEntries, maxBytes: maxBytes,
            clock: time.clock, evicted: evicted, sleep: sleep)
    }

    func entry(_ text: String) -> Entry { Entry(Array(text.utf8), created: time.now, stored: time.now) }

    func key(_ user: Int) -> Key { Key(pipeline: "friends", parameters: ["user": "\(user)"]) }

    /// Which of the keys 0 to 9 are there, without using them.
    func keys() throws -> [String] {
        let texts = try folder.withDatabase { try String.fetchAll($0, sql: "SELECT key FROM entries ORDER BY key") }
        return texts.map { String($0.dropFirst("friends,user=".count)) }
    }
}

extension SQLiteSource {
    /// SQLite's number for how a write waits for the disk.
    func synchronousMode() async throws -> Int? {
        try await database.write(making: false) { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") } ?? nil
    }
}
