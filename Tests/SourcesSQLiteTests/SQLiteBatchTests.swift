import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import Synchronization
import TestSupport
import Testing

@testable import SourcesSQLite

/// Many entries that are written at once.
@Suite(.timeLimit(.minutes(15))) struct SQLiteBatchTests {
    let subject: Subject

    init() throws { subject = try Subject() }

    private func entries(_ users: ClosedRange<Int>) -> [(entry: Entry, key: Key)] {
        users.map { (entry: subject.entry("\($0)"), key: subject.key($0)) }
    }

    @Test func `entries that are written at once are all there, but for those that are too large`() async throws {
        let cache = subject.cache(maxBytes: Size(bytes: 100))
        try await cache.write(subject.entry("old"), for: subject.key(2))
        var entries = entries(1...3)
        entries[1].entry = subject.entry(String(repeating: "2", count: 101))

        let failures = await cache.write(entries)

        #expect(failures.map { isNotKept($0) } == [false, true, false])
        #expect(failures[0] == nil && failures[2] == nil)
        #expect(try await cache.read(subject.key(1))?.text == "1")
        #expect(try await cache.read(subject.key(2)) == nil)
        #expect(try await cache.read(subject.key(3))?.text == "3")
    }

    @Test func `a bounded database keeps the last ones of those that are written at once`() async throws {
        let cache = subject.cache(maxEntries: 10)

        let failures = await cache.write(entries(1...50))

        #expect(failures.allSatisfy { $0 == nil })
        #expect(try await cache.read(subject.key(50))?.text == "50")
        #expect(try await cache.read(subject.key(1)) == nil)
    }

    @Test func `sixty entries wait for a database that is held as long as one does`() async throws {
        let waited = Mutex(0)
        let cache = subject.cache(busyTimeout: .seconds(2), sleep: { pause in waited.withLock { $0 += pause } })
        try await cache.write(subject.entry("old"), for: subject.key)
        let lock = try LockedDatabase(in: subject.folder)

        let failures = await cache.write(entries(1...60))

        #expect(failures.count == 60)
        #expect(failures.allSatisfy { $0 != nil })
        #expect(waited.withLock(\.self) == 2_000)
        withExtendedLifetime(lock) {}
    }

    @Test func `SH-01 pipelines whose database is held shut down within their bound, and name every key`() async throws {
        let origin = StubOrigin("network", clock: .system)
        origin.answers("[1]")
        let text = """
            version: 1
            sources:
              disk: { type: sqlite, path: '\(subject.folder.path)/cache.db', busy_timeout: 5s }
              network: { type: stub }
            pipelines:
              friends:
                parameters: [user]
                tiers: [{ source: disk, ttl: 10h, debounce: 1h, max_delay: 5h }, network]
            """
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml", folder: subject.folder.path).report(
            plugins: [.sqlite, SourcePlugin(origin: "stub", summary: "", capabilities: [.neverMisses]) { _ in origin }],
            environment: ConfigEnvironment([:]))
        try await subject.cache("cache.db").write(subject.entry("old"), for: subject.key)
        let pipelines = try Pipelines(report)
        let friends = try pipelines.pipeline(named: "friends")
        for user in 1...60 { _ = try await friends.fetch(subject.key(user)) }
        let lock = try LockedDatabase(in: subject.folder)

        let begin = ContinuousClock.now
        let unwritten = await pipelines.shutDown(within: .seconds(1))

        // One after the other they would wait for five minutes.
        #expect(.now - begin < .seconds(60))
        #expect(Set(unwritten.flatMap(\.keys)) == Set((1...60).map(subject.key)))
        withExtendedLifetime(lock) {}
    }
}
