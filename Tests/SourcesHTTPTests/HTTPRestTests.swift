import Pipeline
import PipelineConfig
import PipelineNetwork
import PipelineTesting
import PipelineYAML
import Synchronization
import Testing

@testable import SourcesHTTP

/// An origin that asks to be left alone is.
@Suite(.timeLimit(.minutes(15)))
struct HTTPRestTests {
    private static func failure(_ source: HTTPSource, _ user: String = "1") async -> SourceError? {
        do {
            _ = try await source.read(.user(user))
            return nil
        } catch {
            return error as? SourceError
        }
    }

    @Test func `NC-18 after 429 nothing is asked until the time it names, then one, then two, then four`() async throws {
        let time = ManualClock()
        let isWell = Switch()
        let script: ScriptedServer.Script = { request in
            if request.target == "/held" { return [] }
            return isWell.isOn ? Answer.text("1") : Answer.text("", status: 429, headers: ["Retry-After: 20"])
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("\(server.url)/{user}", clock: time.clock) { source async throws in
                #expect(await Self.failure(source)?.kind == .failure)
                for user in 0..<30 {
                    let failure = await Self.failure(source, "\(user)")
                    #expect(failure?.kind == .skipped)
                    #expect(failure?.reason == "asked to wait 20s")
                }
                #expect(server.requests.count == 1)

                isWell.turnOn()
                time.advance(by: .seconds(19))
                #expect(await Self.failure(source)?.reason == "asked to wait 1s")
                time.advance(by: .seconds(1))
                // One is out: the others wait in the queue.
                let held = Task { try await source.read(.user("held")) }
                while server.requests.count < 2 { try await turn() }
                let others = (0..<3).map { user in Task { try await source.text(.user("\(user)")) } }
                while snapshot(of: server)?.waiting != 3 { try await turn() }
                #expect(snapshot(of: server)?.underWay == 1)
                held.cancel()
                for other in others { #expect(try await other.value == "1") }
            }
        }
    }

    @Test func `a rest is skipped in the trace, opens no circuit, and the stale window applies`() async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = { _ in Answer.text("", status: 503, headers: ["Retry-After: 20"]) }
        try await ScriptedServer.run(script) { server async throws in
            let scene = try RetryScene(server, tier: "circuit_breaker: { failures: 2, open_for: 1m }", clock: time.clock)
            #expect(try await scene.pipeline.fetch(["user": "1"]).trace == "api: error")
            for user in 2..<6 {
                let outcome = try await scene.pipeline.fetch(["user": "\(user)"])
                #expect(outcome.trace == "api: skipped")
                #expect(outcome.attempts.first?.reason == "asked to wait 20s")
            }
            #expect(server.requests.count == 1)
            await scene.pipelines.shutDown()
        }
    }

    @Test func `a request that waits for its turn until its tier has no time left was not sent, and opens no circuit`() async throws {
        let time = ManualClock()
        try await ScriptedServer.run({ _ in [] }) { server async throws in
            let scene = try RetryScene(
                server, source: "limits: { concurrency: 1 }", tier: "timeout: 1s, circuit_breaker: { failures: 2, open_for: 1m }",
                clock: time.clock)
            let first = Task { try await scene.pipeline.fetch(["user": "1"]) }
            while server.requests.isEmpty { try await turn() }
            time.advance(by: .milliseconds(500))
            let others = (2..<6).map { user in Task { try await scene.pipeline.fetch(["user": "\(user)"], timeout: .milliseconds(400)) } }
            while snapshot(of: server)?.waiting != 4 { try await turn() }
            time.advance(by: .milliseconds(390))
            for other in others {
                let outcome = try await other.value
                #expect(outcome.trace == "api: error")
                #expect(outcome.attempts.first?.reason == "not sent: waited 390ms for its turn")
            }
            time.advance(by: .milliseconds(110))
            #expect(try await first.value.trace == "api: timeout")
            #expect(server.requests.count == 1)
            let next = Task { try await scene.pipeline.fetch(["user": "6"]) }
            while server.requests.count < 2 { try await turn() }
            next.cancel()
            await scene.pipelines.shutDown()
        }
    }

    @Test func `a rate that allows the next request too late fails it at once, and opens no circuit`() async throws {
        let time = ManualClock()
        try await ScriptedServer.run({ _ in Answer.text("1") }) { server async throws in
            let scene = try RetryScene(
                server, source: "limits: { rate: 1/m }", tier: "timeout: 5s, circuit_breaker: { failures: 1, open_for: 5m }",
                clock: time.clock)
            #expect(try await scene.pipeline.fetch(["user": "1"]).trace == "api: hit")
            for user in 2..<5 {
                let outcome = try await scene.pipeline.fetch(["user": "\(user)"])
                #expect(outcome.trace == "api: error")
                #expect(outcome.attempts.first?.reason == "`rate` lets it begin in 1m, 5s is left")
            }
            time.advance(by: .seconds(60))
            #expect(try await scene.pipeline.fetch(["user": "2"]).trace == "api: hit")
            await scene.pipelines.shutDown()
        }
    }

    @Test func `the time of an attempt begins when it may be sent`() async throws {
        let time = ManualClock()
        let isWell = Switch()
        try await ScriptedServer.run({ _ in isWell.isOn ? Answer.text("2") : [] }) { server async throws in
            try await withSource("\(server.url)/{user}", clock: time.clock) {
                $0.limits.concurrency = .fixed(1)
                $0.timeout = .seconds(2)
            } _: { source async throws in
                let first = Task { await source.failure(.user("1")) }
                while server.requests.isEmpty { try await turn() }
                let second = Task { try await source.text(.user("2")) }
                while snapshot(of: server)?.waiting != 1 { try await turn() }
                isWell.turnOn()
                time.advance(by: .seconds(2))
                #expect(await first.value == "no answer within 2s")
                #expect(try await second.value == "2")
            }
        }
    }

    @Test func `the limits of a source hold before its first request`() async throws {
        let time = ManualClock()
        try await ScriptedServer.run({ _ in [] }) { server async throws in
            try await withSource("\(server.url)/a", clock: time.clock) { _ async throws in
                #expect(snapshot(of: server)?.limit == 6)
                try await withSource("\(server.url)/b", clock: time.clock) {
                    $0.limits.concurrency = .fixed(2)
                } _: { _ async throws in
                    #expect(snapshot(of: server)?.limit == 2)
                }
            }
        }
    }

    @Test func `NC-20 a wait past the deadline fails at once`() async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = { _ in Answer.text("", status: 503, headers: ["Retry-After: 10"]) }
        try await ScriptedServer.run(script) { server async throws in
            let scene = try RetryScene(server, tier: "retry: { attempts: 3 }", clock: time.clock, policy: "deadline: 2s")
            let outcome = try await scene.pipeline.fetch(["user": "1"])
            #expect(outcome.attempts.first?.outcome == .error)
            #expect(outcome.attempts.first?.reason == "status 503 from \(server.url)/1, asked to wait 10s")
            #expect(server.requests.count == 1)
            await scene.pipelines.shutDown()
        }
    }

    /// What `fetch` comes to on a clock that moves while it pauses before a retry.
    private static func outcome(
        of fetch: @escaping @Sendable () async throws -> Outcome, from server: ScriptedServer, on time: ManualClock
    ) async throws -> Outcome {
        let hasEnded = Switch()
        let task = Task {
            defer { hasEnded.turnOn() }
            return try await fetch()
        }
        while !hasEnded.isOn {
            // The token of the retry is taken just before the pause.
            if let known = snapshot(of: server), known.budget < 5, known.underWay == 0 { time.advance(by: .milliseconds(1)) }
            try await turn()
        }
        return try await task.value
    }

    @Test(arguments: [500, 408, 425]) func `a retry waits for the end of a rest, whatever the status`(status: Int) async throws {
        let time = ManualClock()
        let isWell = Switch()
        let script: ScriptedServer.Script = { _ in
            if isWell.isOn { return Answer.text("1") }
            isWell.turnOn()
            return Answer.text("", status: status, headers: ["RateLimit-Remaining: 0", "RateLimit-Reset: 1"])
        }
        try await ScriptedServer.run(script) { server async throws in
            let scene = try RetryScene(server, tier: "retry: { attempts: 3, base: 10ms }", clock: time.clock)
            let begin = time.now
            let outcome = try await Self.outcome(of: { try await scene.pipeline.fetch(["user": "1"]) }, from: server, on: time)
            #expect(outcome.trace == "api: hit")
            #expect(outcome.attempts.first?.tries == 2)
            #expect(time.now.duration(since: begin) >= .seconds(1))
            #expect(server.requests.count == 2)
            await scene.pipelines.shutDown()
        }
    }

    @Test(arguments: [("30s", true), ("500ms", false)])
    func `a rest that another answer asks for while a retry pauses prolongs the pause, or leaves the first failure`(
        timeout: String, isSent: Bool
    ) async throws {
        let time = ManualClock()
        let isWell = Switch()
        let script: ScriptedServer.Script = { request in
            if request.target == "/other" { return Answer.text("", status: 503, headers: ["Retry-After: 1"]) }
            if isWell.isOn { return Answer.text("1") }
            isWell.turnOn()
            return Answer.text("", status: 500)
        }
        try await ScriptedServer.run(script) { server async throws in
            let scene = try RetryScene(
                server, tier: "timeout: \(timeout), retry: { attempts: 3, base: 10ms, max: 10ms }", clock: time.clock)
            let other = try RetryScene(server, tier: "", clock: time.clock)
            let fetch = Task { try await scene.pipeline.fetch(["user": "1"]) }
            while snapshot(of: server)?.budget != 4 { try await turn() }
            #expect(try await other.pipeline.fetch(["user": "other"]).trace == "api: error")

            let outcome = try await Self.outcome(of: { try await fetch.value }, from: server, on: time)
            if isSent {
                #expect(outcome.trace == "api: hit")
                #expect(outcome.attempts.first?.tries == 2)
                #expect(snapshot(of: server).map { $0.budget > 4 } == true)
            } else {
                let words = "status 500 from \(server.url)/1, not tried again: asked to wait "
                #expect(outcome.attempts.first?.reason?.hasPrefix(words) == true)
                #expect(snapshot(of: server)?.budget == 5)
            }
            #expect(server.requests.count == (isSent ? 3 : 2))
            for pipelines in [scene.pipelines, other.pipelines] { await pipelines.shutDown() }
        }
    }

    @Test func `NC-17 statuses that are about the request leave the origin as it is`() async throws {
        let script: ScriptedServer.Script = { Answer.text("", status: Int($0.target.dropFirst()) ?? 500) }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("\(server.url)/{user}") { source async throws in
                for status in ["413", "404", "401", "413", "404", "401"] { _ = await Self.failure(source, status) }
                let known = try #require(snapshot(of: server))
                #expect(known.limit >= 6)
                #expect(known.budget == 5)
                #expect(known.restUntil == nil && known.sourceRests.isEmpty)
                #expect(known.errors == 0)
            }
        }
    }

    @Test(arguments: [
        (["RateLimit: \"default\";r=0;t=12"], 12), (["RateLimit: \"a\";r=3;t=9, \"b\";r=0;t=5"], 5), (["RateLimit: \"a\";r=1;t=9"], nil),
        (["RateLimit-Remaining: 0", "RateLimit-Reset: 8"], 8), (["RateLimit-Remaining: 0"], nil), (["RateLimit-Reset: 8"], nil),
        (["RateLimit-Remaining: 0", "RateLimit-Reset: soon"], nil), (["RateLimit: r=0;t"], nil), (["RateLimit: ;;=,\"\";r=0"], nil),
        (["RateLimit: \"a\";r=0;t=99999999999999999999"], 3_600), (["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 30"], nil),
    ])
    func `an answer that leaves nothing rests its source until the reset`(headers: [String], seconds: Int?) async throws {
        let time = ManualClock()
        try await ScriptedServer.run({ _ in Answer.text("1", headers: headers) }) { server async throws in
            try await withSource(server.url, clock: time.clock) { source async throws in
                #expect(try await source.text() == "1")
                #expect(snapshot(of: server)?.sourceRests[""] == seconds.map { time.clock.now + .seconds($0) })
            }
        }
    }

    @Test func `a status that is listed as a value rests nothing`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("1", status: 503, headers: ["Retry-After: 9"]) }) { server async throws in
            try await withSource(server.url) {
                $0.accepted = AcceptedStatuses([.success, StatusPattern(503...503)])
            } _: { source async throws in
                for _ in 0..<3 { #expect(try await source.text() == "1") }
            }
        }
    }

    @Test func `the limits of earlier days are shown`() async throws {
        let headers = ["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1767225600"]
        try await ScriptedServer.run({ _ in Answer.text("", status: 403, headers: headers) }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(
                    await source.failure()
                        == "status 403 from \(server.url)/, X-RateLimit-Remaining: 0, X-RateLimit-Reset: 1767225600")
            }
        }
    }

    @Test func `NC-31 two sources of one host have one controller, another port another, and a redirect counts where it leads`()
        async throws
    {
        try await ScriptedServer.run({ _ in Answer.text("", status: 429, headers: ["Retry-After: 20"]) }) { other async throws in
            try await ScriptedServer.run({ _ in Answer.redirect(302, to: "\(other.url)/there") }) { server async throws in
                let time = ManualClock()
                try await withSource("\(server.url)/a", clock: time.clock) { first async throws in
                    try await withSource("\(other.url)/b", clock: time.clock) { second async throws in
                        #expect(await Self.failure(first)?.kind == .failure)
                        // The host that was asked is well; the one that the redirect leads to is not asked by the source that it sent away.
                        #expect(await Self.failure(first)?.kind == .skipped)
                        #expect(await Self.failure(second)?.kind == .failure)
                        #expect(await Self.failure(second)?.kind == .skipped)
                        #expect(server.requests.count == 2)
                        #expect(other.requests.count == 2)
                    }
                }
            }
        }
    }
}

/// One who is sent away rests, and no other.
extension HTTPRestTests {
    /// Sources of one host: `stock`, `echo`, and `quota`, whose header is a parameter.
    private static func scene(_ server: ScriptedServer, _ time: ManualClock, limits: String = "{}") throws -> Pipelines {
        let text = """
            sources:
              stock: { type: http, url: "\(server.url)/stock", limits: \(limits) }
              echo: { type: http, url: "\(server.url)/echo", limits: \(limits) }
              quota: { type: http, url: "\(server.url)/quota", headers: { Authorization: "Bearer {token}" }, limits: \(limits) }
            pipelines:
              stock: { tiers: [stock] }
              echo: { tiers: [echo] }
              quota: { parameters: [token], tiers: [quota] }
              page: { combine: { object: { echo: echo, stock: { pipeline: stock, optional: true } } } }
            """
        return try Pipelines(ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.http]), clock: time.clock)
    }

    @Test func `a route that answers 503 once a second stops no other route of its host`() async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = { $0.target == "/stock" ? Answer.text("", status: 503) : Answer.text("1") }
        try await ScriptedServer.run(script) { server async throws in
            let pipelines = try Self.scene(server, time)
            var reasons: Set<String> = []
            for _ in 0..<60 {
                let stock = try await pipelines.pipeline(named: "stock").fetch()
                #expect(try await pipelines.pipeline(named: "echo").fetch().trace == "echo: hit")
                reasons.insert(stock.attempts.first?.reason?.replacing(/for [0-9][0-9a-z]*/, with: "for a while") ?? "")
                time.advance(by: .seconds(1))
            }
            #expect(reasons == ["status 503 from \(server.url)/stock", "rests for a while after a 503"])
            #expect(server.requests.count { $0.target == "/stock" } < 15)
            await pipelines.shutDown()
        }
    }

    @Test func `the quota of one token rests no other token, until rests are ended`() async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = { request in
            request["Authorization"] == "Bearer one"
                ? Answer.text("", status: 429, headers: ["Retry-After: 3600"]) : Answer.text("1")
        }
        try await ScriptedServer.run(script) { server async throws in
            let pipelines = try Self.scene(server, time)
            let quota = try pipelines.pipeline(named: "quota")
            func reason(_ token: String) async throws -> String? { try await quota.fetch(["token": token]).attempts.first?.reason }
            #expect(try await reason("one") == "status 429 from \(server.url)/quota")
            #expect(try await reason("one") == "asked to wait 1h")
            #expect(try await reason("two") == nil)
            #expect(try await pipelines.pipeline(named: "echo").fetch().trace == "echo: hit")
            #expect(snapshot(of: server)?.sourceRests.keys.sorted() == ["quota"])

            // Other tests have rests of their own.
            OriginControllers.shared.endRests(of: try #require(snapshot(of: server)).origin)
            #expect(try await reason("one") == "status 429 from \(server.url)/quota")
            await pipelines.shutDown()
        }
    }

    @Test(arguments: ["source", "origin"])
    func `an optional part that is sent away takes nothing from a required one`(rest: String) async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = {
            $0.target == "/stock" ? Answer.text("", status: 503, headers: ["Retry-After: 100"]) : Answer.text("1")
        }
        try await ScriptedServer.run(script) { server async throws in
            let pipelines = try Self.scene(server, time, limits: "{ rest: \(rest) }")
            for _ in 0..<3 {
                let outcome = try await pipelines.pipeline(named: "page").fetch()
                #expect(try outcome.entry?.payload.map { String(decoding: $0, as: UTF8.self) } == #"{"echo":1}"#)
            }
            #expect(server.requests.count { $0.target == "/stock" } == 1)
            await pipelines.shutDown()
        }
    }

    @Test(arguments: [("source", "echo: hit"), ("origin", "echo: skipped"), ("none", "echo: hit")])
    func `limits say who rests`(rest: String, trace: String) async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = {
            $0.target == "/stock" ? Answer.text("", status: 503, headers: ["Retry-After: 100"]) : Answer.text("1")
        }
        try await ScriptedServer.run(script) { server async throws in
            let pipelines = try Self.scene(server, time, limits: "{ rest: \(rest) }")
            for _ in 0..<2 { _ = try await pipelines.pipeline(named: "stock").fetch() }
            #expect(try await pipelines.pipeline(named: "echo").fetch().trace == trace)
            #expect(server.requests.count { $0.target == "/stock" } == (rest == "none" ? 2 : 1))
            await pipelines.shutDown()
        }
    }

    @Test(arguments: [
        ("headers: { Authorization: \"{a}\" }", true), ("headers: { Cookie: \"id={a}\" }", true), ("headers: { X-Api-Key: \"{a}\" }", true),
        ("headers: { X-Auth-Token: \"{a}\" }", true), ("headers: { Ocp-Apim-Subscription-Key: \"{a}\" }", true),
        ("query: { api_key: \"{a}\" }", true), ("query: { access_token: \"{a}\" }", true),
        ("headers: { Accept-Language: \"{a}\" }", false), ("headers: { X-Request-Id: \"{a}\" }", false), ("query: { q: \"{a}\" }", false),
    ])
    func `who asks is told apart by credentials alone`(fields: String, areApart: Bool) async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = { _ in Answer.text("", status: 429, headers: ["Retry-After: 9"]) }
        try await ScriptedServer.run(script) { server async throws in
            let text = """
                sources: { api: { type: http, url: "\(server.url)/", \(fields) } }
                pipelines: { one: { parameters: [a], tiers: [api] } }
                """
            let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.http])
            let pipelines = try Pipelines(report, clock: time.clock)
            for value in ["x", "y", "x", "y"] { _ = try await pipelines.pipeline(named: "one").fetch(["a": value]) }
            #expect(server.requests.count == (areApart ? 2 : 1))
            await pipelines.shutDown()
        }
    }
}

/// What a script goes by that a test changes.
final class Switch: Sendable {
    private let state = Atomic(false)

    var isOn: Bool { state.load(ordering: .acquiring) }

    func turnOn() { state.store(true, ordering: .releasing) }
}
