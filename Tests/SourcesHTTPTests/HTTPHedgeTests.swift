import Pipeline
import PipelineConfig
import PipelineNetwork
import PipelineTesting
import PipelineYAML
import Synchronization
import Testing

@testable import SourcesHTTP

/// A second request when the first takes long.
@Suite(.timeLimit(.minutes(15)))
struct HTTPHedgeTests {
    private static func hedged(_ settings: inout HTTPSettings) {
        settings.hedge = HedgePolicy(after: .fixed(.milliseconds(300)), budget: 1)
    }

    /// Reads `user` while its first request gets no answer, and lets the time pass after which a second one is sent.
    private static func read(_ source: HTTPSource, _ user: String, _ server: ScriptedServer, _ time: ManualClock) async throws -> String? {
        let before = server.requests.count
        async let text = source.text(.user(user))
        while server.requests.count == before { try await turn() }
        await time.sleepers(atLeast: 1)
        time.advance(by: .milliseconds(300))
        return try await text
    }

    /// Answers the second request for each target, and the first of `/slow` never.
    private static func script(_ first: [ScriptedServer.Step], _ second: [ScriptedServer.Step]) -> ScriptedServer.Script {
        let seen = Seen()
        return { seen.note($0.target) ? first : second }
    }

    @Test func `NC-25 the second request wins, the first is cancelled, and no permit is left`() async throws {
        let time = ManualClock()
        try await ScriptedServer.run(Self.script([], Answer.text("2"))) { server async throws in
            try await withSource("\(server.url)/{user}", clock: time.clock, Self.hedged) { source async throws in
                #expect(try await Self.read(source, "1", server, time) == "2")
                // The connection of the first is closed: nobody waits for its answer.
                await server.closing()
                #expect(server.requests.count == 2)
                #expect(server.connections == 2)
                #expect(snapshot(of: server)?.underWay == 0)
                #expect(snapshot(of: server)?.hedges == 1)
            }
        }
    }

    @Test func `a second request counts as a further one, and is not sent where none may be`() async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = { [seen = Seen()] in seen.note($0.target) ? [] : Answer.text("2") }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("\(server.url)/{user}", clock: time.clock, Self.hedged) { source async throws in
                let refused = Mutex(0)
                var context = ReadContext()
                context.further = {
                    refused.withLock { $0 += 1 }
                    throw SourceError("no more", kind: .unasked)
                }
                let reading = Task { [context] in try await source.read(.user("1"), context) }
                while server.requests.isEmpty { try await turn() }
                await time.sleepers(atLeast: 1)
                time.advance(by: .milliseconds(300))
                while refused.withLock({ $0 }) == 0 { try await turn() }
                reading.cancel()
                _ = await reading.result

                #expect(server.requests.count == 1)
                #expect(snapshot(of: server)?.underWay == 0)
            }
        }
    }

    @Test func `NC-25 a fetch that was hedged writes once`() async throws {
        try await ScriptedServer.run(Self.script([], Answer.text("[2]"))) { server async throws in
            let scene = try RetryScene(server, source: "hedge: { after: 20ms, budget: 100% }", tier: "")
            let outcome = try await scene.pipeline.fetch(["user": "1"])
            #expect(outcome.trace == "api: hit")
            #expect(outcome.attempts.first?.tries == 1)
            await scene.pipelines.shutDown()
        }
    }

    @Test func `a second request that fails does not end the first`() async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = { [seen = Seen()] in seen.note($0.target) ? [] : Answer.text("", status: 500) }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("\(server.url)/{user}", clock: time.clock, Self.hedged) { source async throws in
                let reading = Task { try await Self.read(source, "1", server, time) }
                while server.requests.count < 2 { try await turn() }
                // Its permit is free at once.
                while snapshot(of: server)?.errors == nil { try await turn() }
                #expect(snapshot(of: server)?.underWay == 1)

                reading.cancel()
                await #expect(throws: CancellationError.self) { try await reading.value }
                while snapshot(of: server)?.underWay != 0 { try await turn() }
            }
        }
    }

    @Test func `what a failed second request says of a rest counts at once`() async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = { [seen = Seen()] in
            seen.note($0.target) ? [] : Answer.text("", status: 503, headers: ["Retry-After: 20"])
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("\(server.url)/{user}", clock: time.clock, Self.hedged) { source async throws in
                let reading = Task { try await Self.read(source, "1", server, time) }
                while snapshot(of: server)?.sourceRests[""] == nil { try await turn() }
                #expect(snapshot(of: server)?.sourceRests[""] == time.now + .seconds(20))
                while snapshot(of: server)?.underWay != 1 { try await turn() }
                reading.cancel()
                await #expect(throws: CancellationError.self) { try await reading.value }
            }
        }
    }

    @Test func `of two failures that of the first stands`() async throws {
        let time = ManualClock()
        let late = Switch()
        let script: ScriptedServer.Script = { [seen = Seen()] in
            if seen.note($0.target) { return [] }
            late.turnOn()
            return [.reset]
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("\(server.url)/{user}", clock: time.clock) {
                Self.hedged(&$0)
                $0.timeout = .seconds(2)
            } _: { source async throws in
                let failure = Task { await source.failure(.user("1")) }
                while server.requests.isEmpty { try await turn() }
                await time.sleepers(atLeast: 2)
                time.advance(by: .milliseconds(300))
                while !late.isOn { try await turn() }
                time.advance(by: .seconds(2))
                #expect(await failure.value == "no answer within 2s")
            }
        }
    }

    @Test(arguments: ["method", "body", "none"]) func `NC-27 no second request where it may not be, or is not wanted`(reason: String)
        async throws
    {
        let time = ManualClock()
        try await ScriptedServer.run({ _ in [] }) { server async throws in
            try await withSource(server.url, clock: time.clock) {
                if reason != "none" { Self.hedged(&$0) }
                if reason == "method" { $0.method = .post }
                if reason == "body" {
                    $0.method = .put
                    $0.body = TextTemplate(stringLiteral: String(repeating: "x", count: 65_537))
                }
                $0.timeout = .seconds(2)
            } _: { source async throws in
                let failure = Task { await source.failure() }
                while server.requests.isEmpty { try await turn() }
                time.advance(by: .seconds(1))
                await time.sleepers(atLeast: 1)
                #expect(time.sleeperCount == 1)
                time.advance(by: .seconds(1))
                #expect(await failure.value == "no answer within 2s")
                #expect(server.requests.count == 1)
            }
        }
    }
}

/// The targets that were asked before.
final class Seen: Sendable {
    private let targets = Mutex<Set<String>>([])

    /// Whether this is the first request for `target`.
    func note(_ target: String) -> Bool { targets.withLock { $0.insert(target).inserted } }
}
