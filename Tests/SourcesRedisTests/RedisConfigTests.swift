import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesMemory
import Testing

@testable import SourcesRedis

/// What the fields of the plugin accept, and what they say otherwise.
@Suite struct RedisConfigTests {
    private func report(_ fields: String, second: String? = nil, environment: [String: String] = [:]) -> ConfigReport {
        let text = """
            version: 1
            sources:
              shared: { type: redis, \(fields) }
            \(second.map { "  other: { type: redis, \($0) }" } ?? "  other: { type: memory }")
              api: { type: stub }
            pipelines:
              friends: { tiers: [other, { source: shared, ttl: 10m }, api] }
            """
        return ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(
            plugins: [.redis, .memory, SourcePlugin(origin: "stub", summary: "", capabilities: [.neverMisses]) { _ in Nothing() }],
            environment: ConfigEnvironment(environment))
    }

    private struct Nothing: Source {
        func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
    }

    private func messages(_ report: ConfigReport) -> [String] { report.diagnostics.map { "\($0.code.rawValue) \($0.message)" } }

    @Test(arguments: [
        "url: redis://localhost", "url: 'redis://${USER_NAME}:${PASSWORD}@[::1]:6380/2', prefix: '', pool: 4, timeout: 250ms",
        "url: 'rediss://:${PASSWORD}@h', ca_file: certs/ca.pem, invalidation: true, shared_flight: true",
        "url: 'redis://h', shared_flight: { lease: 5s }, ca_file: '${NO_FILE:-}'", "url: '${CACHE_URL}'",
    ])
    func `these fields have no problem`(fields: String) {
        let environment = ["PASSWORD": "p@ss:word/", "USER_NAME": "u", "CACHE_URL": "redis://h/1"]

        #expect(messages(report(fields, environment: environment)) == [])
    }

    @Test(arguments: [
        ("url: 'http://h'", "P104 `http://h` is out of range for `url`: expected a URL that begins with `redis://` or `rediss://`"),
        ("url: 'localhost:6379'", "P105 malformed URL for `url`: expected a URL with its scheme, as `redis://host:6379`"),
        ("url: 'redis://{user}'", "P105 malformed URL for `url`: one server holds every key, there is no place for a parameter"),
        ("url: 'redis://h/cache'", "P105 malformed URL for `url`: the number of a database stands after the host: `redis://host/2`"),
        ("url: 'redis://h?db=2'", "P105 malformed URL for `url`: nothing may follow the number of the database"),
        ("url: 'redis://h', ca_file: certs/", "P105 malformed path for `ca_file`: it names a folder"),
        ("url: 'redis://h', ca_file: \"a\\0\"", "P105 malformed path for `ca_file`: there is a NUL character in it"),
    ])
    func `a field that cannot be used is reported`(fields: String, message: String) {
        #expect(messages(report(fields)).contains(message), "\(messages(report(fields)))")
    }

    @Test func `P307 two sources with one prefix in one database write the same place`() {
        let environment = ["PASSWORD": "long-secret"]
        let shared = "url: 'redis://:${PASSWORD}@H/0', prefix: 'pipe-run:'"
        for (second, isShared) in [("url: 'redis://h:6379'", true), ("url: 'redis://h/1'", false), ("url: 'redis://h', prefix: b", false)] {
            let both = report(shared, second: second, environment: environment)
            #expect(both.diagnostics.contains { $0.code == .sharedPlace } == isShared, "\(second) \(messages(both))")
        }
    }

    @Test func `P309 a password that is written in the file is reported, and masked everywhere`() {
        let report = report("url: 'redis://:hunter2word@h/x'")

        #expect(messages(report).contains { $0.hasPrefix("P105") } == true)
        #expect(messages(report).allSatisfy { !$0.contains("hunter2word") })
        let sound = self.report("url: 'redis://:hunter2%40word@h/1'")
        #expect(messages(sound) == ["P309 a credential is written in the file: the password of the URL"])
        #expect(Redactor(sound.secrets).redacted("hunter2@word hunter2%40word") == "*** ***")
    }

    @Test func `secrets of the URL are in no message of a fetch`() async throws {
        try await RedisServer.run(["--requirepass", "another-word"]) { server async throws in
            let url = server.url(":${PASSWORD}")
            let report = report("url: '\(url)', timeout: 20s", environment: ["PASSWORD": "wrong p@ssword"])
            let pipelines = try Pipelines(report)

            let failure = try await pipelines.pipeline(named: "friends").fetch().attempts.map { $0 }[1].reason

            #expect(failure == "\(server.authority) refuses the user name or the password")
            let checks = await report.checkSources()
            #expect(checks.first { $0.source == "shared" }?.diagnostic?.code == .connectionRefused)
            #expect(checks.allSatisfy { $0.diagnostic?.message.contains("p@ss") != true })
            await pipelines.shutDown()
        }
    }

    @Test func `the level connect tells whether the server is there`() async throws {
        try await RedisServer.run { server async throws in
            let report = report("url: '\(server.url())', timeout: 20s")
            #expect(await report.checkSources().first { $0.source == "shared" }?.outcome == .reachable)
            #expect(try await server.ask("DBSIZE") == .integer(0))

            server.kill()

            let check = await report.checkSources().first { $0.source == "shared" }
            #expect(check?.diagnostic?.code == .cannotConnect)
            #expect(check?.diagnostic?.message == "cannot connect to the source `shared`: connection refused by \(server.authority)")
        }
    }
}
