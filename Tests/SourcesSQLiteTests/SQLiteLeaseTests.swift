import GRDB
import PipelineTesting
import PipelineYAML
import Testing

@testable import Pipeline
@testable import PipelineConfig
@testable import SourcesSQLite

@Suite struct SQLiteLeaseTests {
    @Test func `a database that shares flights keeps the contract of leases`() async throws {
        let subject = try Subject()
        var count = 0

        let violations = await SourceConformance.ofCache(capabilities: SourcePlugin.sqlite.capabilities, clock: .system) {
            count += 1
            return subject.leasing("\(count).db", clock: .system)
        }

        #expect(violations == [])
    }

    @Test func `two sources of one database give one lease`() async throws {
        let subject = try Subject()
        let (here, there) = (subject.leasing(), subject.leasing())

        #expect(try await here.takeLease(of: subject.key, for: "here", lasting: .seconds(5)))
        #expect(try await !there.takeLease(of: subject.key, for: "there", lasting: .seconds(5)))
        try await here.releaseLease(of: subject.key, by: "here", fruitlessFor: nil)

        #expect(try await there.takeLease(of: subject.key, for: "there", lasting: .seconds(5)))
    }

    @Test func `a lease lasts to the nanosecond, and its row goes with the next one that is taken`() async throws {
        let subject = try Subject()
        let source = subject.leasing()
        _ = try await source.takeLease(of: subject.key, for: "the dead", lasting: .seconds(5))
        _ = try await source.takeLease(of: subject.key(1), for: "the dead", lasting: .seconds(5))

        subject.time.advance(by: .seconds(5) - .nanoseconds(1))
        #expect(try await !source.takeLease(of: subject.key, for: "another", lasting: .seconds(5)))
        subject.time.advance(by: .nanoseconds(1))
        #expect(try await source.takeLease(of: subject.key, for: "another", lasting: .seconds(5)))

        let rows = try await source.database.read { db in
            try Row.fetchAll(db, sql: "SELECT key, holder FROM leases").map { "\($0["key"] ?? "") \($0["holder"] ?? "")" }
        }
        #expect(rows == ["friends,user=42 another"])
    }

    @Test func `all sources of a database are told who gave a lease back in vain, to the nanosecond`() async throws {
        let subject = try Subject()
        let (here, there) = (subject.leasing(), subject.leasing())
        #expect(try await here.lastFruitlessHolder(of: subject.key) == nil)
        _ = try await here.takeLease(of: subject.key, for: "here", lasting: .seconds(5))

        try await here.releaseLease(of: subject.key, by: "here", fruitlessFor: .seconds(60))
        #expect(try await there.takeLease(of: subject.key, for: "there", lasting: .seconds(5)))
        subject.time.advance(by: .seconds(60) - .nanoseconds(1))
        #expect(try await there.lastFruitlessHolder(of: subject.key) == "here")
        subject.time.advance(by: .nanoseconds(1))

        #expect(try await there.lastFruitlessHolder(of: subject.key) == nil)
    }

    @Test func `who lets the lease run out is not told of`() async throws {
        let subject = try Subject()
        let source = subject.leasing()
        _ = try await source.takeLease(of: subject.key, for: "late", lasting: .seconds(5))
        subject.time.advance(by: .seconds(5))

        try await source.releaseLease(of: subject.key, by: "late", fruitlessFor: .seconds(60))

        #expect(try await source.lastFruitlessHolder(of: subject.key) == nil)
    }

    @Test func `a database of an older version gets the table`() async throws {
        let subject = try Subject()
        let old = subject.cache()
        try await old.write(subject.entry("[1]"), for: subject.key)
        await old.close()
        try await DatabaseQueue(path: subject.folder.path + "/cache.db").write { db in
            try db.execute(sql: "DROP TABLE leases; DELETE FROM grdb_migrations WHERE identifier = '2 leases'")
        }
        let source = subject.leasing()

        #expect(try await source.takeLease(of: subject.key, for: "one", lasting: .seconds(5)))
        #expect(try await source.read(subject.key)?.text == "[1]")
    }

    @Test func `a database of an older version keeps its copies, and then what the origin says`() async throws {
        let subject = try Subject()
        let old = subject.cache()
        try await old.write(subject.entry("[1]"), for: subject.key)
        await old.close()
        try await DatabaseQueue(path: subject.folder.path + "/cache.db").write { db in
            try db.execute(
                sql: """
                    ALTER TABLE entries DROP COLUMN cache_control; ALTER TABLE entries DROP COLUMN variant;
                    DELETE FROM grdb_migrations WHERE identifier = '3 cache control'
                    """)
        }
        let source = subject.cache()

        let held = try #require(try await source.read(subject.key))
        #expect((held.text, held.cacheControl, held.variant) == ("[1]", nil, nil))
        let later = Entry(
            held.payload ?? [], created: held.created, stored: held.stored, freshUntil: held.freshUntil, etag: held.etag,
            contentType: held.contentType, source: held.source, cacheControl: CacheControl(field: "max-age=60"), variant: "accept 0")
        #expect(try await source.renew(held, as: later, for: subject.key))
        let renewed = try await source.read(subject.key)
        #expect((renewed?.cacheControl?.text, renewed?.variant) == ("max-age=60", "accept 0"))
        await source.close()
    }

    @Test func `giving back where there is no database makes none`() async throws {
        let subject = try Subject()

        try await subject.leasing().releaseLease(of: subject.key, by: "a stranger", fruitlessFor: nil)
        try await subject.leasing().releaseLease(of: subject.key, by: "a stranger", fruitlessFor: .seconds(60))

        #expect(try subject.folder.contents() == [])
    }

    @Test(arguments: [
        ("", SharedFlight?.none), ("shared_flight: false", nil), ("shared_flight: true", SharedFlight(lease: .seconds(5))),
        ("shared_flight: { lease: 20s }", SharedFlight(lease: .seconds(20))),
    ])
    func `the file says whether flights are shared`(field: String, flight: SharedFlight?) throws {
        let subject = try Subject()

        let source = try subject.source(field)

        #expect(source.sharedFlight == flight)
    }
}

extension Subject {
    fileprivate func leasing(_ name: String = "cache.db", clock: PipelineClock? = nil) -> SQLiteSource {
        SQLiteSource(path: folder.database(name), sharedFlight: SharedFlight(), clock: clock ?? time.clock)
    }

    /// The source of a file with `field`.
    fileprivate func source(_ field: String) throws -> SQLiteSource {
        let text = """
            sources:
              db:
                type: sqlite
                path: cache.db
                \(field)
            pipelines: { friends: { tiers: [db] } }
            """
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml", folder: folder.path).report(
            plugins: [.sqlite], environment: ConfigEnvironment([:]))
        #expect(!report.diagnostics.hasErrors)
        let making = try #require(report.plan.sources.first?.making)
        return try #require(try making(SourceContext(name: "db", clock: time.clock)).source as? SQLiteSource)
    }
}
