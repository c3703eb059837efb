import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesMemory
import Testing

@testable import SourcesRedis

/// Users of an access list that lack what `invalidation` and `shared_flight` need.
@Suite(.timeLimit(.minutes(15)))
struct RedisAccessTests {
    private static let cache = ["+get", "+set", "+unlink", "+scan", "+select", "+ping"]
    private static let channel = "&pipe-run:changes:0"

    /// Runs `body` with a server whose user `shop` may do `rules`, and the URL for it.
    private func withUser(_ rules: [String], _ body: (RedisServer, String) async throws -> Void) async throws {
        let user = ["--user", "shop", "on", ">s3cr3t-word", "~pipe-run:*", "resetchannels"] + Self.cache + rules
        try await RedisServer.run(user) { server async throws in try await body(server, server.url("shop:s3cr3t-word")) }
    }

    private func withInvalidation(_ settings: inout RedisSettings) { settings.publishes = true }

    private func leasing(_ settings: inout RedisSettings) { settings.sharedFlight = SharedFlight() }

    private static let publishing = ("publish on the channel `pipe-run:changes:0`", "+publish \(channel)")
    private static let subscribing = ("subscribe to the channel `pipe-run:changes:0`", "+subscribe \(channel)")

    @Test(arguments: [
        ([], publishing), (["+publish", "+subscribe"], publishing), ([channel, "+subscribe"], publishing),
        ([channel, "+publish"], subscribing), (["&pipe-run:changes:1", "+publish", "+subscribe"], publishing),
    ])
    func `a check finds what publishing lacks, and names the rules`(rules: [String], lack: (deed: String, rules: String)) async throws {
        try await withUser(rules) { server, url in
            try await withSource(url, withInvalidation) { source async throws in
                let error = await failure { try await source.check() }

                #expect(error?.kind == .refused)
                #expect(error?.reason == "\(server.authority) does not let this user \(lack.deed)")
                #expect(error?.help == "give the user the rules `\(lack.rules)` (`ACL SETUSER`), or leave out `invalidation`")
            }
            // A cache that does not publish needs none of it.
            try await withSource(url) { source async throws in _ = try await source.check() }
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

    @Test func `with the rules that are named the check finds nothing, changes nothing, and publishes nothing`() async throws {
        let copies = ["+getrange", "+strlen", "+setrange", "+pexpire", "+persist"]
        try await withUser(["+subscribe", "+publish", Self.channel, "+eval", "+pttl"] + copies) { server, url in
            try await withSource(url, withInvalidation) { subscriber async throws in
                let ear = Ear(subscriber)
                _ = try await ear.events(atLeast: 1)
                try await withSource(
                    url,
                    {
                        $0.publishes = true; $0.sharedFlight = SharedFlight()
                    }
                ) { source async throws in
                    #expect(try await source.check() == .reachable)
                    #expect(try await server.ask("DBSIZE") == .integer(0))

                    try await source.publish(.pipeline("after it"))
                    #expect(try await ear.events(atLeast: 2) == [.began, .received(.pipeline("after it"))])
                    #expect(try await source.takeLease(of: .user("42"), for: "a", lasting: .seconds(60)))
                }
                await ear.stop()
            }
        }
    }

    private static let renewalLack =
        "does not let this user renew a copy with a script, so that every renewal sends the whole payload: give the user the rules "
        + "`+eval +getrange +strlen +setrange +set +pexpire +persist ~pipe-run:*` (`ACL SETUSER`)"
    private static let listingLack =
        "does not let this user list copies, as `pipe-run list` does: give the user the rules `+scan +strlen +getrange ~pipe-run:*` "
        + "(`ACL SETUSER`)"

    @Test(arguments: [
        (["+eval", "+getrange", "+strlen", "+setrange", "+pexpire", "+persist"], []),
        (["+getrange", "+strlen"], [renewalLack]),
        (["+eval", "+getrange", "+strlen", "+setrange", "+pexpire"], [renewalLack]),
        (["+eval", "+getrange", "+strlen", "+setrange", "+pexpire", "+persist", "-scan"], [listingLack]),
        ([], [renewalLack, listingLack]),
    ])
    func `a check says which rules renewal and listing lack, and the cache is reachable all the same`(
        rules: [String], lacks: [String]
    ) async throws {
        try await withUser(rules) { server, url in
            try await withSource(url) { source async throws in
                let lacks = lacks.map { "\(server.authority) \($0)" }

                #expect(try await source.check() == (lacks.isEmpty ? .reachable : .limited(lacks.joined(separator: "; "))))
                #expect(try await server.ask("DBSIZE") == .integer(0))
            }
        }
    }

    @Test func `a server that does not know the command says so`() async throws {
        try await RedisServer.run(["--rename-command", "PUBLISH", ""]) { server async throws in
            try await withSource(server.url(), withInvalidation) { source async throws in
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

            let problem = try #require(await report.checkSources().compactMap(\.diagnostic).first)

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
            try await withSource(url, withInvalidation) { source async throws in
                let ear = Ear(source)
                let refusal = SubscriptionEvent.refused(
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
            try await withSource(server.url(":wrong-word"), withInvalidation) { source async throws in
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
            let stub = SourcePlugin(origin: "stub", summary: "", capabilities: [.neverMisses]) { _ in origin }
            let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.memory, .redis, stub])
            let received = SubscriptionRecord()
            let pipelines = try Pipelines(report, observers: [received.observer])
            pipelines.startListening()
            _ = try await eventually { received.lines.isEmpty ? nil : true }
            let friends = try pipelines.pipeline(named: "friends")

            try await friends.fetch(friends.key()).waitForWrites()
            let refused = try await friends.fetch(friends.key())
            _ = try await server.ask("ACL", "SETUSER", "shop", "+subscribe")
            _ = try await eventually { received.lines.count > 1 ? true : nil }
            try await friends.fetch(friends.key()).waitForWrites()
            let heardAgain = try await friends.fetch(friends.key())

            #expect(refused.attempts.map(\.outcome) == [.expired, .hit])
            #expect(heardAgain.attempts.map(\.outcome) == [.hit])
            #expect(received.lines.count == 2)
            #expect(received.lines[0].hasPrefix("shared: \(server.authority) does not let this user subscribe"))
            #expect(received.lines[1] == "shared: began")
            #expect(origin.readCount == 1)
            _ = await pipelines.shutDown()
        }
    }
}
