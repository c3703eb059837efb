import Foundation
import Pipeline
import PipelineTesting
import Synchronization
import Testing

/// The suite http-tests/cache-tests; `make cache-tests` runs it.
@Suite(.serialized, .enabled(if: suitePath != nil, "no cases of http-tests/cache-tests; `make cache-tests` gives them"))
struct CacheSuiteTests {
    /// What `scripts/cache-tests` writes: the cases, and the published results of other caches.
    private struct Document: Decodable {
        let groups: [SuiteGroup]
        let peers: [SuiteReport.Peer]
    }

    private static func document() throws -> Document {
        try JSONDecoder().decode(Document.self, from: Data(contentsOf: URL(filePath: #require(suitePath))))
    }

    @Test(arguments: SuiteMode.allCases)
    func `every required case passes that concerns a cache of whole answers`(mode: SuiteMode) async throws {
        let document = try Self.document()
        var report = SuiteReport(document.groups, as: mode)
        try await SuiteOrigins.run { origins async throws in
            for played in report.playing() {
                let time = ManualClock()
                let play = SuitePlay(
                    played, now: { Double(time.clock.wall().nanoseconds) / 1_000_000_000 }, pause: { time.advance(by: .seconds($0)) })
                origins.add(play)
                let cache = SuiteCache(mode, time: time)
                while play.verdict == nil {
                    let part = play.part(at: origins.url)
                    if try await play.step({ try await cache.answer($0, by: part) }) { time.advance(by: .seconds(3)) }
                }
                await cache.end()
                report.note(play.verdict ?? .passed, of: played.id)
            }
        }

        print(report.text(beside: document.peers))
        #expect(report.counts(of: .required).failed == 0)
    }

    /// All cases side by side: the time that they let pass is real.
    @Test(.enabled(if: suiteProgram != nil, "no program; `make cache-tests` names it"), arguments: SuiteMode.allCases)
    func `the program passes them, too`(mode: SuiteMode) async throws {
        let document = try Self.document()
        var report = SuiteReport(document.groups, as: mode)
        let cases = report.playing { $0.requests.contains { $0.responsePause != nil } ? "takes longer than others may wait" : nil }
        try await SuiteOrigins.run { origins async throws in
            let plays = cases.map { SuitePlay($0, now: { Date().timeIntervalSince1970 }, pause: { _ in }) }
            for play in plays { origins.add(play) }
            let file = { SuiteFile(mode: mode, parts: plays.map { $0.part(at: origins.url) }) }
            let program = try await SuiteProgram(#require(suiteProgram), file())
            defer { program.end() }
            for damage in Set(cases.map(\.damage)).sorted() {
                var waiting = plays.filter { $0.played.damage == damage }
                while !waiting.isEmpty {
                    waiting = try await Self.round(of: waiting, by: program, file)
                    if !waiting.isEmpty { try await Task.sleep(for: .seconds(3)) }
                }
            }
            for play in plays { report.note(play.verdict ?? .unprepared("not played"), of: play.played.id) }
        }

        print("against the program:" + report.text(beside: document.peers))
        #expect(report.counts(of: .required).failed == 0)
    }

    /// Plays on up to the next pause; those that let no time pass go on at once.
    ///
    /// - Parameter file: the configuration for the next request of every case.
    /// - Returns: the cases that pause.
    private static func round(of plays: [SuitePlay], by program: SuiteProgram, _ file: () -> SuiteFile) async throws -> [SuitePlay] {
        var (ready, paused) = (plays, [SuitePlay]())
        while !ready.isEmpty {
            try await program.use(file())
            var next: [SuitePlay] = []
            for play in ready {
                let pauses = try await play.step(program.answer)
                guard play.verdict == nil else { continue }
                if pauses { paused.append(play) } else { next.append(play) }
            }
            ready = next
        }
        return paused
    }
}

/// Where the cases are; nil where they are not at hand.
private let suitePath = ProcessInfo.processInfo.environment["CACHE_TESTS_CASES"]
/// The built program; nil where only the pipelines are played.
private let suiteProgram = ProcessInfo.processInfo.environment["CACHE_TESTS_PROGRAM"]

/// The server with the origins of all cases, each below a path of its own.
private final class SuiteOrigins: Sendable {
    private let origins = Mutex<[String: SuiteOrigin]>([:])
    let url: String

    private init(at url: String) {
        self.url = url
    }

    static func run(_ body: (SuiteOrigins) async throws -> Void) async throws {
        let made = Mutex<SuiteOrigins?>(nil)
        let script: ScriptedServer.Script = { request in
            let name = String(request.target.dropFirst().prefix { $0 != "?" })
            return made.withLock { $0 }?.origins.withLock { $0[name] }?.answer(request) ?? [.close]
        }
        try await ScriptedServer.run(script) { server async throws in
            let origins = SuiteOrigins(at: server.url)
            made.withLock { $0 = origins }
            try await body(origins)
        }
    }

    func add(_ play: SuitePlay) {
        origins.withLock { $0[play.name] = play.origin }
    }
}
