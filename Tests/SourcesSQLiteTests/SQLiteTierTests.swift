import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesMemory
import SourcesSQLite
import Testing

/// A database as the middle tier: below memory, above an origin.
@Suite struct SQLiteTierTests {
    let subject: Subject
    let network: StubOrigin

    init() throws {
        subject = try Subject()
        network = StubOrigin("network", clock: subject.time.clock)
        network.answers("[\"v1\"]")
    }

    private func report(path: String) -> ConfigReport {
        let network = network
        let text = """
            version: 1
            sources:
              memory: { type: memory }
              disk: { type: sqlite, path: '\(path)', busy_timeout: 20ms, max_entries: 100 }
              network: { type: stub }
            pipelines:
              friends:
                parameters: [user]
                not_found_ttl: 10s
                tiers:
                  - { source: memory, ttl: 30s }
                  - { source: disk, ttl: 10m }
                  - network
            """
        return ConfigFile(text: Array(text.utf8), name: "pipeline.yaml", folder: subject.folder.path).report(
            plugins: [.memory, .sqlite, SourcePlugin(origin: "stub", summary: "", capabilities: [.neverMisses]) { _ in network }],
            environment: ConfigEnvironment([:]))
    }

    private func pipelines() throws -> Pipelines { try Pipelines(report(path: "db/cache.db"), clock: subject.time.clock) }

    private func trace(_ pipelines: Pipelines) async throws -> String {
        let outcome = try await pipelines.pipeline(named: "friends").fetch(subject.key)
        try await outcome.waitForWrites()
        return outcome.attempts.map { "\($0.source): \($0.outcome.rawValue)" }.joined(separator: ", ")
    }

    @Test func `TI-01 a value is loaded once, and a new process finds it in the database`() async throws {
        let first = try pipelines()
        #expect(try await trace(first) == "memory: miss, disk: miss, network: hit")
        #expect(try await trace(first) == "memory: hit")
        #expect(await first.shutDown().isEmpty)

        let second = try pipelines()
        #expect(try await trace(second) == "memory: miss, disk: hit")
        #expect(network.readCount == 1)
        await second.shutDown()
    }

    @Test func `each tier's copy expires by its own ttl, also in a new process`() async throws {
        let first = try pipelines()
        _ = try await trace(first)
        subject.time.advance(by: .seconds(30))
        #expect(try await trace(first) == "memory: expired, disk: hit")
        await first.shutDown()

        subject.time.advance(by: .seconds(570))
        let second = try pipelines()
        #expect(try await trace(second) == "memory: miss, disk: expired, network: hit")
        await second.shutDown()
    }

    @Test func `that there is no value is remembered`() async throws {
        network.answers(.notFound)
        let first = try pipelines()
        #expect(try await trace(first) == "memory: miss, disk: miss, network: not_found")
        await first.shutDown()

        let second = try pipelines()
        #expect(try await trace(second) == "memory: miss, disk: not_found")
        await second.shutDown()
    }

    @Test func `a removed key is gone from the database, too`() async throws {
        let pipelines = try pipelines()
        _ = try await trace(pipelines)

        _ = try await pipelines.pipeline(named: "friends").remove(subject.key)

        #expect(try await trace(pipelines) == "memory: miss, disk: miss, network: hit")
        await pipelines.shutDown()
    }

    @Test func `a damaged database is an attempt that failed, and the origin is asked`() async throws {
        let cache = subject.cache("db/cache.db")
        try await cache.write(subject.entry("old"), for: subject.key)
        await cache.close()
        var bytes = try subject.folder.bytes(of: "db/cache.db")
        bytes.replaceSubrange(100..., with: [UInt8](repeating: 9, count: bytes.count - 100))
        try subject.folder.put(bytes, into: "db/cache.db")

        let pipelines = try pipelines()
        #expect(try await trace(pipelines) == "memory: miss, disk: invalid, network: hit")
        await pipelines.shutDown()
        #expect(try await subject.cache("db/cache.db").read(subject.key)?.text == "[\"v1\"]")
    }

    @Test(arguments: [
        ("", "it is empty"), ("cache/", "it names a folder"),
        ("{key}.db", "one database holds every key, there is no place for a parameter"),
    ])
    func `a path that is none is reported`(path: String, problem: String) {
        let messages = report(path: path).diagnostics.map(\.message)

        #expect(messages.contains("malformed path for `path`: \(problem)"), "\(messages)")
    }
}
