import GRDB
import PipelineTesting
import PipelineYAML
import Testing

@testable import Pipeline
@testable import PipelineConfig
@testable import SourcesSQLite

/// Rows that no cache wrote: none ends the process, and the cache keeps within its bounds.
@Suite struct SQLiteHostileTests {
    let subject: Subject

    init() throws { subject = try Subject() }

    private func change(_ sql: String) throws {
        let other = try DatabaseQueue(path: subject.folder.path + "/cache.db")
        try other.write { try $0.execute(sql: sql) }
        try other.close()
    }

    private func totals() throws -> [Int?] {
        let other = try DatabaseQueue(path: subject.folder.path + "/cache.db")
        return try other.read { db in
            try Row.fetchAll(db, sql: "SELECT entries, bytes FROM totals").flatMap { [$0.value("entries"), $0.value("bytes")] }
        }
    }

    @Test(arguments: [
        "UPDATE entries SET size = -9223372036854775808", "UPDATE entries SET size = 9223372036854775807",
        "UPDATE entries SET size = -1", "UPDATE entries SET size = 'many'", "UPDATE entries SET size = x'00ff'",
        "UPDATE entries SET size = 1e300", "UPDATE entries SET used = -9223372036854775808",
        "UPDATE entries SET used = 9223372036854775807", "UPDATE entries SET used = 'never'",
        "UPDATE totals SET entries = -9223372036854775808, bytes = -9223372036854775808",
        "UPDATE totals SET entries = 9223372036854775807, bytes = 9223372036854775807",
        "UPDATE totals SET entries = 'x', bytes = x'01'", "UPDATE totals SET entries = 1e300, bytes = -1e300", "DELETE FROM totals",
        "INSERT INTO totals VALUES (-9223372036854775808, 9223372036854775807)",
        """
        UPDATE entries SET size = -9223372036854775808 WHERE key LIKE '%0';
        UPDATE entries SET size = 9223372036854775807 WHERE key LIKE '%1'
        """,
    ])
    func `a bounded cache goes on over numbers that cannot be, and keeps its bounds again`(sql: String) async throws {
        let cache = subject.cache(maxEntries: 5, maxBytes: Size(bytes: 100))
        for number in 0..<5 { try await cache.write(subject.entry("12345678"), for: subject.key(number)) }
        try change(sql)

        for number in 0..<20 { try await cache.write(subject.entry("12345678"), for: subject.key(number % 10)) }

        #expect(try await cache.read(subject.key(9))?.text == "12345678")
        let keys = try subject.keys()
        #expect(keys.count <= 5 && keys.contains("9"), "\(keys)")
        #expect(try totals() == [keys.count, keys.count * 8])
    }

    private static let extremes: [Int64] = [.min, .min + 1, -1, 0, .max - 1, .max]

    @Test func `a row with any times is a copy, expired or fresh, and never the end of the process`() async throws {
        let pipelines = try pipelines()
        let friends = try pipelines.pipeline(named: "friends")
        _ = try await friends.fetch(subject.key)
        await pipelines.flush()

        for created in Self.extremes {
            for stored in Self.extremes {
                for freshUntil in Self.extremes {
                    try change("UPDATE entries SET created = \(created), stored = \(stored), fresh_until = \(freshUntil)")
                    let outcome = try await friends.fetch(subject.key)
                    #expect(outcome.failure == nil, "\(created) \(stored) \(freshUntil): \(outcome)")
                    #expect((outcome.age ?? .zero) >= .zero && (outcome.freshFor ?? .zero) >= .zero)
                    await pipelines.flush()
                }
            }
        }
        await pipelines.shutDown()
    }

    private func pipelines() throws -> Pipelines {
        let text = """
            sources: { db: { type: sqlite, path: cache.db, max_entries: 5 }, origin: { type: stub } }
            pipelines:
              friends:
                parameters: { user: { default: "42" } }
                tiers: [{ source: db, ttl: 1h }, origin]
                stale_while_revalidate: 1h
                stale_if_error: 1h
                refresh_ahead: 0.5
            """
        let time = subject.time
        let origin = StubOrigin("origin", clock: time.clock)
        origin.answers("[1]")
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml", folder: subject.folder.path).report(
            plugins: [.sqlite, SourcePlugin(origin: "stub", summary: "", capabilities: [.neverMisses]) { _ in origin }],
            environment: ConfigEnvironment([:]))
        return try Pipelines(report, clock: time.clock)
    }

    @Test(arguments: ["9223372036854775807", "1e300", "'never'", "x'ff'", "-9223372036854775808"])
    func `a lease with any end holds no process up for longer than it may last`(end: String) async throws {
        let source = SQLiteSource(path: subject.folder.database("cache.db"), sharedFlight: SharedFlight(), clock: subject.time.clock)
        _ = try await source.takeLease(of: subject.key, for: "the dead", lasting: .seconds(5))
        try change("UPDATE leases SET expires = \(end)")

        if end != "-9223372036854775808" {
            #expect(try await !source.takeLease(of: subject.key, for: "another", lasting: .seconds(5)))
        }
        subject.time.advance(by: .seconds(5))

        #expect(try await source.takeLease(of: subject.key, for: "another", lasting: .seconds(5)))
    }

    @Test func `a row of another type names no holder`() async throws {
        let source = SQLiteSource(path: subject.folder.database("cache.db"), sharedFlight: SharedFlight(), clock: subject.time.clock)
        _ = try await source.takeLease(of: subject.key, for: "one", lasting: .seconds(5))
        try await source.releaseLease(of: subject.key, by: "one", fruitlessFor: .seconds(5))
        try change("UPDATE leases SET holder = x'ff00', expires = 9223372036854775807")

        #expect(try await source.lastFruitlessHolder(of: subject.key) != "one")
    }
}
