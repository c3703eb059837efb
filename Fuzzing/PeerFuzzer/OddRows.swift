private import Foundation
private import GRDB
internal import Pipeline
internal import PipelineTesting
internal import PipelineConfig
internal import PipelineYAML
internal import SourcesInline
internal import SourcesSQLite

/// Rows that no cache wrote, in the database of a bounded cache that shares its flights.
///
/// Whatever they hold, no fetch fails, a list and a removal come back, and no lease is waited for longer than it may last.
final class OddRows: Sendable {
    private static let one = OddRows()

    private let folder: URL
    private let pipelines: Pipelines
    private let database: DatabaseQueue
    private let time = ManualClock()

    private init() {
        folder = FileManager.default.temporaryDirectory.appending(path: "pipe-run-rows-\(ProcessInfo.processInfo.processIdentifier)")
        let text = """
            sources:
              db: { type: sqlite, path: cache.db, max_entries: 3, max_bytes: 64, shared_flight: true }
              origin: { type: inline, value: [1] }
            pipelines:
              rows:
                parameters: [n]
                tiers: [{ source: db, ttl: 1h }, origin]
                stale_while_revalidate: 1h
                stale_if_error: 1h
                refresh_ahead: 0.5
            """
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = ConfigFile(text: Array(text.utf8), name: "rows.yaml", folder: folder.path)
            pipelines = try Pipelines(file.report(plugins: [.sqlite, .inline], environment: ConfigEnvironment([:])), clock: time.clock)
            let made = Work { [pipelines] in
                _ = try? await pipelines.pipeline(named: "rows").fetch(["n": "1"])
                _ = await pipelines.flush()
            }
            made.wait()
            database = try DatabaseQueue(path: folder.appending(path: "cache.db").path)
        } catch {
            fatalError("\(error)")
        }
    }

    static func check(_ bytes: [UInt8]) { one.check(bytes) }

    private func check(_ bytes: [UInt8]) {
        do {
            try database.write { db in try Self.fill(db, with: OddValues(bytes, now: time.now)) }
        } catch {
            // Values that the table itself refuses.
        }
        let work = Work { [self] in await use() }
        // Whoever waits for a lease sleeps until it ends.
        while !work.wait(milliseconds: 1) { time.advance(by: .seconds(1)) }
    }

    private static func fill(_ db: Database, with values: OddValues) throws {
        var values = values
        try db.execute(sql: "DELETE FROM entries; DELETE FROM leases")
        for number in 1...3 {
            let row: [(any DatabaseValueConvertible)?] = ["rows,n=\(number)", "rows"] + (0..<11).map { _ in values.next() }
            try db.execute(
                sql: """
                    INSERT INTO entries (key, pipeline, payload, size, created, stored, fresh_until, etag, last_modified, content_type,
                    version, source, used) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """, arguments: StatementArguments(row))
        }
        for key in ["rows,n=1", "rows,n=4", "rows,n=4:vain"] {
            let row: [(any DatabaseValueConvertible)?] = [key, values.next(), values.next()]
            try db.execute(sql: "INSERT INTO leases (key, holder, expires) VALUES (?, ?, ?)", arguments: StatementArguments(row))
        }
        if values.nextFlag() {
            let row: [(any DatabaseValueConvertible)?] = [values.next(), values.next()]
            try db.execute(sql: "UPDATE totals SET entries = ?, bytes = ?", arguments: StatementArguments(row))
        }
    }

    private func use() async {
        do {
            let pipeline = try pipelines.pipeline(named: "rows")
            for number in 1...4 {
                let outcome = try await pipeline.fetch(["n": "\(number)"])
                // A row without a payload is known not to be there; the origin has all.
                if case .failed(let error) = outcome.result { fatalError("\(error)") }
                require((outcome.age ?? .zero) >= .zero && (outcome.freshFor ?? .zero) >= .zero, "an age below zero: \(outcome)")
            }
            _ = try? await contents(limit: 2)
            await pipeline.finishRefreshes()
            _ = await pipelines.flush()
            for number in 2...5 { _ = try await pipeline.remove(["n": "\(number)"]) }
            guard let copies = try await contents(limit: 9)?.copies else { fatalError("the database cannot be listed any more") }
            require(copies.allSatisfy { $0.key?.text == "rows,n=1" }, "a removed copy is listed: \(copies)")
        } catch {
            fatalError("a use threw \(error)")
        }
    }

    /// What the database lists.
    private func contents(limit: Int) async throws -> CacheContents? {
        let source = try pipelines.pipeline(named: "rows").spec.tiers.first?.source.source
        return try await (source as? any WritableSource)?.contents(of: "rows", limit: limit)
    }
}

/// Values for columns, made of bytes: of each kind, with the extremes of each.
private struct OddValues {
    private var bytes: ArraySlice<UInt8>
    private let now: Int64

    init(_ bytes: [UInt8], now: Timestamp) {
        self.bytes = bytes[...]
        self.now = now.nanoseconds
    }

    mutating func nextFlag() -> Bool { (bytes.popFirst() ?? 0) & 1 == 1 }

    mutating func next() -> DatabaseValue {
        guard let kind = bytes.popFirst() else { return 0.databaseValue }
        switch kind % 10 {
        case 0: return .null
        case 1: return Int64(bytes.popFirst() ?? 0).databaseValue
        case 2: return take(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }.databaseValue
        case 3: return [Int64.min, .min + 1, -1, .max - 1, .max][Int(bytes.popFirst() ?? 0) % 5].databaseValue
        case 4: return Double(bitPattern: take(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }).databaseValue
        case 5: return String(decoding: take(Int(bytes.popFirst() ?? 0) % 32), as: UTF8.self).databaseValue
        // Up to two hours ago and from now, as copies are made and leases end.
        case 6: return (now + (Int64(bytes.popFirst() ?? 0) - 128) << 36).databaseValue
        default: return Data(take(Int(bytes.popFirst() ?? 0) % 80)).databaseValue
        }
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        let taken = Array(bytes.prefix(count))
        bytes = bytes.dropFirst(count)
        return taken
    }
}
