import Foundation
import Pipeline
import PipelineConfig
import PipelineNetwork
import PipelineTesting
import Testing

@testable import SourcesHTTP

/// How many rounds there are, where the caller says so.
private let asked = ProcessInfo.processInfo.environment["CANCEL_ROUNDS"].flatMap { Int($0) }

/// Cancelled at any point of a request, a read leaves nothing behind: no permit, no place in the queue, no token, no connection.
@Suite(.timeLimit(.minutes(asked == nil ? 15 : 60)))
struct HTTPCancellationRoundTests {
    /// How far a request comes before it is cancelled.
    enum Point: String, CaseIterable, Sendable {
        case sent, head, body, hedged, queued, anywhere
    }

    private static let script: ScriptedServer.Script = { request in
        let head = Answer.head(headers: ["Content-Length: 10"])
        switch request.target {
        case "/head": return [.text(head)]
        case "/body": return [.text(head), .text("half")]
        case "/anywhere", "/well": return Answer.text("1")
        default: return []
        }
    }

    private static func rounds(_ point: Point) -> Int {
        let rounds = asked ?? 300
        // Each waits for its second request.
        return point == .hedged ? rounds / 6 : rounds
    }

    @Test(arguments: Point.allCases) func `permits, places, tokens and connections return, round after round`(point: Point) async throws {
        try await ScriptedServer.run(Self.script) { server async throws in
            // What pays for second requests must not have one itself: on a busy machine it takes long, too.
            let paying: (inout HTTPSettings) -> Void = { if point == .hedged { $0.limits.retryBudget = 1 } }
            try await withSource("\(server.url)/{user}", paying) { plain async throws in
                try await withSource("\(server.url)/{user}") {
                    paying(&$0)
                    if point == .hedged { $0.hedge = HedgePolicy(after: .fixed(.milliseconds(50)), budget: 1) }
                    if point == .queued { $0.limits.concurrency = .fixed(1) }
                } _: { source async throws in
                    let holder = point == .queued ? Task { try await source.read(.user("held")) } : nil
                    if holder != nil { while server.requests.isEmpty { try await turn() } }
                    for round in 0..<Self.rounds(point) {
                        // An answer pays for the second request.
                        if point == .hedged { _ = try await plain.text(.user("well")) }
                        try await Self.cancel(source, point, round, server)
                    }
                    holder?.cancel()
                    _ = await holder?.result

                    while snapshot(of: server)?.underWay != 0 { try await turn() }
                    let known = try #require(snapshot(of: server))
                    #expect(known.waiting == 0)
                    #expect(known.restUntil == nil)
                    #expect(known.refused == 0)
                    #expect(try await source.text(.user("well")) == "1")
                }
            }
            // Closed with the source at the latest.
            for _ in 0..<server.connections { await server.closing() }
        }
    }

    private static func cancel(_ source: HTTPSource, _ point: Point, _ round: Int, _ server: ScriptedServer) async throws {
        let before = server.requests.count
        let reading = Task { try await source.read(.user(point.rawValue)) }
        switch point {
        case .sent, .head, .body: while server.requests.count == before { try await turn() }
        case .hedged: while server.requests.count < before + 2 { try await turn() }
        case .queued: while snapshot(of: server)?.waiting == 0 { try await turn() }
        // Before the queue, in it, on the way, at the answer, or too late.
        case .anywhere: for _ in 0..<(round % 60) { await Task.yield() }
        }
        reading.cancel()
        do {
            _ = try await reading.value
            #expect(point == .anywhere)
        } catch {
            #expect(error is CancellationError)
        }
    }
}
