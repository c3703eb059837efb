import Pipeline
import PipelineConfig
import PipelineJSON
import PipelineLive
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesWebSocket

/// A hub that is not ours: nginx with nchan sends a text message for each that is published by a POST.
@Suite(.enabled(if: NginxServer.isThere, Comment(rawValue: NginxServer.advice)), .timeLimit(.minutes(15)))
struct NginxPeerTests {
    private func source(_ server: NginxServer, _ path: String = "/live", ping: Duration = .seconds(20)) throws -> WebSocketSource {
        var settings = WebSocketSettings(url: try .written("ws://\(server.authority)\(path)?channel=friends"))
        settings.reconnect = ReconnectPolicy(base: .milliseconds(100), max: .milliseconds(300))
        settings.ping = ping
        return WebSocketSource(settings, clock: .system)
    }

    @Test func `a hub answers pings`() async throws {
        try await NginxServer.run { server async throws in
            var list = try FollowedList("[]", following: try source(server, ping: .seconds(4)))
            #expect(await list.becomes("[]"))
            // Without an answer the connection would be gone before the second ping, and the list loaded again.
            let end = ContinuousClock.now + .seconds(9)
            var items: [String] = []
            while ContinuousClock.now < end {
                items.append(#"{"id":\#(items.count)}"#)
                try server.publish(items.last ?? "", to: "friends")
                #expect(await list.becomes("[" + items.joined(separator: ",") + "]"))
                try await Task.sleep(for: .milliseconds(500))
            }
            await list.end()
        }
    }

    @Test func `messages that are published are merged`() async throws {
        let operations = MergePolicy.Operations(
            at: .pointer(try #require(JSONPointer("/op"))), upsert: ["added"], delete: ["removed"], patch: ["renamed"])
        try await NginxServer.run { server async throws in
            var list = try FollowedList(#"[{"id":1,"op":"added"}]"#, following: try source(server), operations: operations)
            #expect(await list.becomes(#"[{"id":1,"op":"added"}]"#))

            try server.publish(#"{"op":"added","id":2}"#, to: "friends")
            #expect(await list.becomes(#"[{"id":1,"op":"added"},{"op":"added","id":2}]"#))
            try server.publish(#"{"op":"removed","id":1}"#, to: "friends")
            #expect(await list.becomes(#"[{"op":"added","id":2}]"#))
            try server.publish(#"{"op":"renamed","id":2,"name":"Ä"}"#, to: "friends")
            #expect(await list.becomes(#"[{"op":"renamed","id":2,"name":"Ä"}]"#))
            await list.end()
        }
    }

    @Test func `a long message comes whole`() async throws {
        let name = String(repeating: "ä", count: 100_000)
        try await NginxServer.run { server async throws in
            var list = try FollowedList("[]", following: try source(server))
            #expect(await list.becomes("[]"))
            try server.publish(#"{"id":1,"name":"\#(name)"}"#, to: "friends")
            #expect(await list.becomes(#"[{"id":1,"name":"\#(name)"}]"#))
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

    @Test func `a path that is no WebSocket is refused`() async throws {
        try await NginxServer.run { server async throws in
            let ending = try await source(server, "/nowhere").ending()
            #expect(ending.kind == .refused && ending.reason == "status 404 from ws://\(server.authority)/nowhere")
            #expect(try await self.source(server).check() == .reachable)
        }
    }
}
