import Foundation
import Pipeline
import PipelineConfig
import PipelineLive
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesSSE

/// A hub that is not ours: nginx with nchan sends an event for each message that is published by a POST.
@Suite(.enabled(if: NginxServer.isThere, Comment(rawValue: NginxServer.advice)), .timeLimit(.minutes(15)))
struct NginxPeerTests {
    private func source(_ server: NginxServer, _ path: String = "/live", resumes: Bool = false) throws -> SSESource {
        var settings = SSESettings(url: try .written("http://\(server.authority)\(path)?channel=friends"))
        settings.resumes = resumes
        settings.reconnect = ReconnectPolicy(base: .milliseconds(100), max: .milliseconds(300))
        return SSESource(settings, clock: .system)
    }

    @Test func `a message that is published is merged, by the name of its event`() async throws {
        try await NginxServer.run { server async throws in
            let operations = MergePolicy.Operations(at: .event, upsert: ["added"], delete: ["removed"])
            var list = try FollowedList(#"[{"id":1}]"#, following: try source(server), operations: operations)
            #expect(await list.becomes(#"[{"id":1}]"#))

            try server.publish(#"{"id":2,"name":"Ada"}"#, to: "friends", event: "added")
            #expect(await list.becomes(#"[{"id":1},{"id":2,"name":"Ada"}]"#))
            try server.publish(#"{"id":1}"#, to: "friends", event: "removed")
            #expect(await list.becomes(#"[{"id":2,"name":"Ada"}]"#))
            try server.publish(#"{"id":9}"#, to: "others", event: "added")
            try server.publish("{\n\"id\":2,\n\"name\":\"Ä\"}", to: "friends", event: "added")
            #expect(await list.becomes("[{\n\"id\":2,\n\"name\":\"Ä\"}]"))
            await list.end()
        }
    }

    @Test func `after the hub was killed and started again, the list is loaded again`() async throws {
        try await NginxServer.run { server async throws in
            var list = try FollowedList("[]", following: try source(server))
            #expect(try await list.survives(aRestartOf: server) == nil)
            await list.end()
        }
    }

    /// The hub ends streams by its own clock, so that on a busy machine a message may come between two of them before there is anything to
    /// resume from. `PEER_RESUME=1` plays it.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["PEER_RESUME"] == "1", "PEER_RESUME=1 plays it, on a quiet machine"))
    func `with resume the hub sends what came meanwhile, and nothing is loaded`() async throws {
        try await NginxServer.run { server async throws in
            var list = try FollowedList("[]", following: try source(server, "/brief", resumes: true))
            #expect(await list.becomes("[]"))
            try server.publish(#"{"id":1}"#, to: "friends")
            #expect(await list.becomes(#"[{"id":1}]"#))
            let loads = list.origin.readCount

            // The hub ends the connection after five seconds.
            #expect(await list.wait(for: .down)?.state == .down)
            try server.publish(#"{"id":2}"#, to: "friends")
            try server.publish(#"{"id":3}"#, to: "friends")

            // A load would bring back the empty list.
            #expect(await list.becomes(#"[{"id":1},{"id":2},{"id":3}]"#))
            #expect(list.origin.readCount == loads)
            await list.end()
        }
    }

    @Test func `a path that is no stream is refused`() async throws {
        try await NginxServer.run { server async throws in
            let source = try source(server, "/nowhere")
            let ending = try await source.ending()
            #expect(ending.kind == .refused && ending.reason == "status 404 from http://\(server.authority)/nowhere")
            #expect(try await self.source(server).check() == .reachable)
        }
    }
}
