import Foundation
import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesHTTP
import SourcesMemory
import TestSupport
import Testing

@testable import PipelineServer

/// `caching: headers` through caches of other authors, and with a server of files. Ours is on a clock that stands still, theirs go.
@Suite(.enabled(if: PeerServer.areThere, "\(PeerServer.advice)"), .timeLimit(.minutes(15)))
struct PeerCacheTests {
    /// Runs `body` with the pipeline `[memory, api]`, whose origin is at `url`.
    private static func fetching(
        _ url: String, through proxy: String = "", _ body: (ManualClock, DataPipeline) async throws -> Void
    ) async throws {
        let time = ManualClock(wall: PipelineClock.system.wall())
        let text = """
            sources: { memory: { type: memory }, api: { type: http, url: "\(url)", caching: headers, proxy: "\(proxy)" } }
            pipelines: { friends: { format: text, tiers: [ { source: memory, ttl: none }, api ] } }
            """
        let file = ConfigFile(text: Array(text.utf8), name: "peers.yaml")
        let report = file.report(plugins: [.memory, .http], environment: ConfigEnvironment([:]))
        let pipelines = try Pipelines(report, clock: time.clock)
        do {
            try await body(time, pipelines.pipeline(named: "friends"))
        } catch {
            await pipelines.shutDown()
            throw error
        }
        await pipelines.shutDown()
    }

    /// What each tier did: `memory hit`.
    private static func trace(_ outcome: Outcome) -> String {
        outcome.attempts.map { "\($0.source) \($0.outcome.rawValue)" }.joined(separator: ", ")
    }

    /// The script of an origin with one value, which has these fields and the tag `"1"`.
    private static func tagged(_ fields: [String]) -> ScriptedServer.Script {
        { request in
            request["If-None-Match"] == "\"1\""
                ? Answer.notModified(fields + ["ETag: \"1\""]) : Answer.text("one", headers: fields + ["ETag: \"1\""])
        }
    }

    @Test func `the time that Varnish had a copy counts, and its 304 renews ours`() async throws {
        try await ScriptedServer.run(Self.tagged(["Cache-Control: max-age=100", "Age: 40"])) { origin async throws in
            try await PeerServer.varnish(before: origin.port, in: TemporaryFolder()) { url async throws in
                try await Self.fetching(url) { time, friends async throws in
                    let first = try await friends.fetch()
                    #expect(Self.trace(first) == "memory miss, api hit")
                    #expect(try first.payload == Array("one".utf8))
                    #expect(first.age.map { $0 >= .seconds(40) && $0 < .seconds(90) } == true)

                    time.advance(by: (first.freshFor ?? .zero) - .milliseconds(1))
                    #expect(Self.trace(try await friends.fetch()) == "memory hit")

                    time.advance(by: .milliseconds(1))
                    let second = try await friends.fetch()
                    #expect(Self.trace(second) == "memory expired, api hit")
                    #expect(try second.payload == Array("one".utf8))
                    #expect(second.freshFor.map { $0 > .zero && $0 <= .seconds(60) } == true)
                    // Varnish knew by itself that the copy holds.
                    #expect(origin.requests.count == 1)
                }
            }
        }
    }

    @Test func `an expired copy is confirmed through nginx, which has it confirmed by the origin`() async throws {
        try await ScriptedServer.run(Self.tagged(["Cache-Control: max-age=1"])) { origin async throws in
            try await PeerServer.nginx(before: origin.port, in: TemporaryFolder()) { url async throws in
                try await Self.fetching(url) { time, friends async throws in
                    _ = try await friends.fetch()
                    // Until the copy of nginx has expired, too, nginx answers by itself. Our clock must not run far from its clock meanwhile:
                    // nginx sends no Age, so that a Date that is long ago would count.
                    repeat {
                        try await Task.sleep(for: .milliseconds(100))
                        time.advance(by: .milliseconds(1_001))
                        let again = try await friends.fetch()
                        #expect(Self.trace(again) == "memory expired, api hit")
                        #expect(try again.payload == Array("one".utf8) && again.entry?.etag == "\"1\"")
                    } while origin.requests.count < 2

                    #expect(origin.requests[1]["If-None-Match"] == "\"1\"")
                    #expect(Self.trace(try await friends.fetch()) == "memory hit")
                }
            }
        }
    }

    @Test func `stale-while-revalidate of the origin holds through nginx: the old value at once, the new one behind it`() async throws {
        let script: ScriptedServer.Script = { request in
            Answer.text("number \(request.number)", headers: ["Cache-Control: max-age=1, stale-while-revalidate=600"])
        }
        try await ScriptedServer.run(script) { origin async throws in
            let directives = "proxy_cache_use_stale updating; proxy_cache_background_update on;"
            try await PeerServer.nginx(before: origin.port, directives, in: TemporaryFolder()) { url async throws in
                try await Self.fetching(url) { time, friends async throws in
                    let first = try await friends.fetch()
                    time.advance(by: .seconds(2))

                    let stale = try await friends.fetch()
                    #expect(stale.isStale)
                    #expect(try stale.payload == first.payload)
                    await friends.finishRefreshes()
                    let renewed = try await friends.fetch()
                    #expect(!renewed.isStale)
                    #expect(Self.trace(renewed) == "memory hit")

                    time.advance(by: .seconds(602))
                    let late = try await friends.fetch()
                    #expect(!late.isStale)
                    #expect(Self.trace(late) == "memory expired, api hit")
                }
            }
        }
    }

    @Test func `files behind nginx are fresh by max-age, confirmed by tag and date, and asked for again when they changed`() async throws {
        let folder = try TemporaryFolder()
        try folder.put("one", into: "files/friends")
        try await PeerServer.nginx("root \(folder.path)/files; location / { expires 30s; }", in: folder) { url async throws in
            try await Self.fetching(url + "/friends") { time, friends async throws in
                let first = try await friends.fetch()
                #expect(try first.entry?.etag != nil && first.entry?.lastModified != nil)
                #expect(first.freshFor.map { $0 > .seconds(20) && $0 <= .seconds(30) } == true)

                time.advance(by: .seconds(31))
                let confirmed = try await friends.fetch()
                #expect(Self.trace(confirmed) == "memory expired, api hit")
                #expect(try confirmed.entry?.created != first.entry?.created && confirmed.entry?.etag == first.entry?.etag)
                #expect(Self.trace(try await friends.fetch()) == "memory hit")

                try folder.put("another one", into: "files/friends")
                time.advance(by: .seconds(31))
                let changed = try await friends.fetch()
                #expect(try changed.payload == Array("another one".utf8))
                #expect(try changed.entry?.etag != first.entry?.etag)
            }
        }
    }

    @Test(.enabled(if: PeerServer.squid.isThere, "\(PeerServer.advice)"))
    func `what Squid has kept comes through it with its age, and an expired copy is confirmed there`() async throws {
        // Without a Date, Squid takes it for expired.
        let date = "Date: \(CivilTime(PipelineClock.system.wall()).inHTTP)"
        try await ScriptedServer.run(Self.tagged(["Cache-Control: max-age=100", "Age: 40", date])) { origin async throws in
            try await PeerServer.squid(in: TemporaryFolder()) { proxy async throws in
                for _ in 1...2 {
                    try await Self.fetching(origin.url + "/friends", through: proxy) { time, friends async throws in
                        let first = try await friends.fetch()
                        #expect(try first.payload == Array("one".utf8))
                        #expect(first.age.map { $0 >= .seconds(40) && $0 < .seconds(90) } == true)

                        time.advance(by: first.freshFor ?? .zero)
                        let second = try await friends.fetch()
                        #expect(Self.trace(second) == "memory expired, api hit")
                        #expect(try second.payload == Array("one".utf8))
                        #expect(second.attempts.last?.isConfirmation == true, "\(second.attempts.map { "\($0)" })")
                    }
                }
                #expect(origin.requests.count == 1, "\(origin.requests.map { "\($0.head)" })")
            }
        }
    }
}
