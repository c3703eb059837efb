import Pipeline
import PipelineConfig
import PipelineReports
import PipelineTesting
import PipelineYAML
import SourcesMemory
import Testing

@testable import SourcesRedis

/// Users of an access list that lack what `invalidation` and `shared_flight` need.
@Suite(.timeLimit(.minutes(2)))
struct RedisAccessTests {
    private static let cache = ["+get", "+set", "+unlink", "+scan", "+select", "+ping"]
    private static let channel = "&pipe-run:changes:0"

    /// Runs `body` with a server whose user `shop` may do `rules`, and the URL for it.
    private func withUser(_ rules: [String], _ body: (RedisServer, String) async throws -> Void) async throws {
        let user = ["--user", "shop", "on", ">s3cr3t-word", "~pipe-run:*", "resetchannels"] + Self.cache + rules
        try await RedisServer.run(user) { server async throws in try await body(server, server.url("shop:s3cr3t-word")) }
    }

    private func announcing(_ settings: inout RedisSettings) { settings.announces = true }

    private func leasing(_ settings: inout RedisSettings) { settings.sharedFlight = SharedFlight() }

    private static let publishing = ("publish on the channel `pipe-run:changes:0`", "+publish \(channel)")
    private static let subscribing = ("subscribe to the channel `pipe-run:changes:0`", "+subscribe \(channel)")

    @Test(arguments: [
        ([], publishing), (["+publish", "+subscribe"], publishing), ([channel, "+subscribe"], publishing),
        ([channel, "+publish"], subscribing), (["&pipe-run:changes:1", "+publish", "+subscribe"], publishing),
    ])
    func `a check finds what announcing lacks, and names the rules`(rules: [String], lack: (deed: String, rules: String)) async throws {
        try await withUser(rules) { server, url in
            try await withSource(url, announcing) { source async throws in
                let error = await failure { try await source.check() }

                #expect(error?.kind == .refused)
                #expect(error?.reason == "\(server.authority) does not let this user \(lack.deed)")
                #expect(error?.help == "give the user the rules `\(lack.rules)` (`ACL SETUSER`), or leave out `invalidation`")
            }
            // Who asks for neither needs neither.
            try await withSource(url) { source async throws in #expect(try await source.check() == .reachable) }
        }
    }

    @Test(arguments: [
        [], ["+eval"], ["+eval", "+pttl", "-set"], ["+eval", "+pttl", "-get"], ["+eval", "+pttl", "-unlink"],
        ["+eval", "+pttl", "resetkeys", "~other:*"],
    ])
    func `a check finds what leases lack, and names the rules`(rules: [String]) async throws {
        try await withUser(rules) { server, url in
            try await withSource(url, leasing) { source async throws in
                let error = await failure { try await source.check() }

                #expect(error?.kind == .refused)
                #expect(error?.reason == "\(server.authority) does not let this user take a lease with a script")
                #expect(
                    error?.help
                        == "give the user the rules `+eval +get +set +pttl +unlink ~pipe-run:*` (`ACL SETUSER`), or leave out `shared_flight`"
                )
            }
        }
    }

    @Test func `with the rules that are named the check finds nothing, changes nothing, and nobody hears of it`() async throws {
        try await withUser(["+subscribe", "+publish", Self.channel, "+eval", "+pttl"]) { server, url in
            try await withSource(url, announcing) { listener async throws in
                let ear = Ear(listener)
                _ = try await ear.events(atLeast: 1)
                try await withSource(
                    url,
                    {
                        $0.announces = true; $0.sharedFlight = SharedFlight()
                    }
                ) { source async throws in
                    #expect(try await source.check() == .reachable)
                    #expect(try await server.ask("DBSIZE") == .integer(0))

                    try await source.announce(.pipeline("after it"))
                    #expect(try await ear.events(atLeast: 2) == [.began, .announced(.pipeline("after it"))])
                    #expect(try await source.takeLease(of: .user("42"), for: "a", lasting: .seconds(60)))
                }
                await ear.stop()
            }
        }
    }

    @Test func `a server that does not know the command says so`() async throws {
        try await RedisServer.run(["--rename-command", "PUBLISH", ""]) { server async throws in
            try await withSource(server.url(), announcing) { source async throws in
                let error = await failure { try await source.check() }

                #expect(error?.kind == .refused)
                #expect(error?.reason == "\(server.authority) does not know the command PUBLISH")
                #expect(error?.help == "leave out `invalidation`, or have the server know the command")
            }
        }
    }

    @Test func `a refusal is a problem at the URL, with the rules as its help`() async throws {
        try await withUser(["+publish", Self.channel]) { server, url in
            let text = """
                sources:
                  memory: { type: memory }
                  shared: { type: redis, url: "\(url)", invalidation: true, timeout: 20s }
                pipelines:
                  friends: { tiers: [memory, shared] }
                """
            let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.memory, .redis])

            let problem = try #require(await report.checkingSources().compactMap(\.diagnostic).first)

            #expect(problem.code == .connectionRefused)
            #expect(
                problem.message == "the source `shared` refuses: \(server.authority) does not let this user "
                    + "subscribe to the channel `pipe-run:changes:0`")
            #expect(
                problem.help
                    == "give the user the rules `+subscribe &pipe-run:changes:0` (`ACL SETUSER`), or leave out `invalidation`")
        }
    }

    @Test func `a refusal to listen is heard once, and listening begins when it is allowed`() async throws {
        try await withUser(["+publish", Self.channel]) { server, url in
            try await withSource(url, announcing) { source async throws in
                let ear = Ear(source)
                let refusal = HeardEvent.refused(
                    "\(server.authority) does not let this user subscribe to the channel `pipe-run:changes:0`: "
                        + "give the user the rules `+subscribe &pipe-run:changes:0` (`ACL SETUSER`), or leave out `invalidation`")
                #expect(try await ear.events(atLeast: 1) == [refusal])
                // It has been tried again.
                _ = try await eventually { try await server.connectionCount() > 6 ? true : nil }
                #expect(ear.events == [refusal])

                _ = try await server.ask("ACL", "SETUSER", "shop", "+subscribe")

                #expect(try await ear.events(atLeast: 2) == [refusal, .began])
                await ear.stop()
            }
        }
    }

    @Test func `who may not log in hears nothing, as while the server is away, and nothing is told`() async throws {
        try await RedisServer.run(["--requirepass", "right-word"]) { server async throws in
            try await withSource(server.url(":wrong-word"), announcing) { source async throws in
                let ear = Ear(source)
                _ = try await eventually { try await server.connectionCount(credentials: ":right-word") > 4 ? true : nil }

                server.kill()
                try await server.start()
                _ = try await eventually { try await server.connectionCount(credentials: ":right-word") > 4 ? true : nil }

                #expect(ear.events.isEmpty)
                await ear.stop()
            }
        }
    }

    @Test func `while the server refuses, the cache answers and memory alone does not`() async throws {
        try await withUser(["+publish", Self.channel]) { server, url in
            let text = """
                sources:
                  memory: { type: memory }
                  shared: { type: redis, url: "\(url)", invalidation: true, timeout: 20s }
                  origin: { type: stub }
                pipelines:
                  friends: { tiers: [memory, { source: shared, ttl: 1h }, origin] }
                """
            let origin = StubOrigin("origin", clock: .system)
            origin.answers("[1]")
            let stub = SourcePlugin("stub", summary: "", capabilities: [.neverMisses]) { _ in origin }
            let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.memory, .redis, stub])
            let heard = ListeningRecord()
            let pipelines = try Pipelines(report, observers: [heard.observer])
            pipelines.startListening()
            _ = try await eventually { heard.lines.isEmpty ? nil : true }
            let friends = try pipelines.pipeline(named: "friends")

            try await friends.fetch(friends.key()).settleWrites()
            let refused = try await friends.fetch(friends.key())
            _ = try await server.ask("ACL", "SETUSER", "shop", "+subscribe")
            _ = try await eventually { heard.lines.count > 1 ? true : nil }
            try await friends.fetch(friends.key()).settleWrites()
            let heardAgain = try await friends.fetch(friends.key())

            #expect(refused.attempts.map(\.outcome) == [.expired, .hit])
            #expect(heardAgain.attempts.map(\.outcome) == [.hit])
            #expect(heard.lines.count == 2)
            #expect(heard.lines[0].hasPrefix("shared: \(server.authority) does not let this user subscribe"))
            #expect(heard.lines[1] == "shared: began")
            #expect(origin.readCount == 1)
            _ = await pipelines.shutDown()
        }
    }
}
