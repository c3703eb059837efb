import GRDB
import Pipeline
import PipelineConfig
import PipelineTesting
import SourcesSQLite
import Synchronization
import TestSupport

/// A cache in a database of its own.
final class DatabaseMiddle: MiddleCache {
    let plugin = SourcePlugin.sqlite
    let fields: String
    let folder: TemporaryFolder
    private let time: ManualClock
    private let lock = Mutex<LockedDatabase?>(nil)

    init(_ time: ManualClock, patience: Duration? = nil) throws {
        self.time = time
        folder = try TemporaryFolder()
        let busyTimeout = patience?.written.map { ", busy_timeout: \($0)" } ?? ""
        fields = "path: '\(folder.path)/cache.db', max_entries: 1000\(busyTimeout)"
    }

    /// Opens the database beside the source, as another process would.
    func withDatabase<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try folder.withDatabase { try body($0) }
    }

    private func withSource<Value>(_ body: (SQLiteSource) async throws -> Value) async throws -> Value {
        let other = SQLiteSource(path: folder.database(), clock: time.clock)
        let value = try await body(other)
        await other.close()
        return value
    }

    func hold(_ entry: Entry, for key: Key) async throws {
        try await withSource { try await $0.write(entry, for: key) }
    }

    func entry(for key: Key) async throws -> Entry? {
        try await withSource { try await $0.read(key) }
    }

    func count() async throws -> Int {
        guard try folder.contents().contains("cache.db") else { return 0 }
        return try withDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM entries") ?? 0 }
    }

    func watch() throws -> @Sendable () async throws -> Bool {
        let before = try files()
        return { try self.files() != before }
    }

    /// What the files of the database hold, its log included.
    private func files() throws -> [String: [UInt8]] {
        try Dictionary(uniqueKeysWithValues: folder.contents().map { ($0, try folder.bytes(of: $0)) })
    }

    func breakDown() throws -> Fault {
        try withDatabase { try $0.execute(sql: "CREATE TABLE notes (text)") }
        return Fault("it is a database of something else")
    }

    func refuseChanges() throws -> Fault {
        try holdUpChanges()
        return Fault("another process has held it for 5ms")
    }

    func holdUpChanges() throws {
        let held = try LockedDatabase(in: folder)
        lock.withLock { $0 = held }
    }

    func takeChanges() throws {
        let held = lock.withLock { lock in
            defer { lock = nil }
            return lock
        }
        try held?.release()
    }
}
