import Pipeline
import PipelineConfig
import PipelineSending
import Testing

@testable import SourcesHTTP

/// Answers to a send that lead elsewhere.
@Suite(.timeLimit(.minutes(15)))
struct SendRedirectTests {
    /// Redirects the first request, and answers others.
    private static func script(_ status: Int, to location: String) -> ScriptedServer.Script {
        { $0.target == "/friends" ? Answer.redirect(status, to: location) : Answer.text("there", status: 201) }
    }

    @Test(arguments: ["/friends/7", "7", "?page=1"])
    func `303 within the origin is accepted, and not followed`(location: String) async throws {
        try await withSender(Self.script(303, to: location)) { server, source async throws in
            let sent = await source.sent()

            #expect(sent.answer == SendAnswer(status: 303, isAccepted: true, location: location))
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [301, 302]) func `a redirect that may change the method is an answer`(status: Int) async throws {
        try await withSender(Self.script(status, to: "/there")) { server, source async throws in
            #expect(await source.sent().answer == SendAnswer(status: status, isAccepted: false, location: "/there"))
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [307, 308], [RequestMethod.post, .put, .patch, .delete])
    func `307 and 308 within the origin are followed with method, body and fields`(status: Int, method: RequestMethod) async throws {
        try await withSender(Self.script(status, to: "/there?x=1")) {
            $0.method = method
            $0.headers = FieldMap([("X-Api-Key", "k3y")])
        } _: { server, source async throws in
            let sent = await source.sent(.of("[7]", in: IDHeader(), condition: "\"1\""))

            #expect(sent.answer == SendAnswer(status: 201, body: Array("there".utf8)))
            #expect(server.requests.map(\.target) == ["/friends", "/there?x=1"])
            for request in server.requests {
                #expect(request.method == method.rawValue)
                #expect(request.body == "[7]")
                #expect(request["Content-Type"] == "application/json")
                #expect(request["Idempotency-Key"] == "a-1")
                #expect(request["If-Match"] == "\"1\"")
                #expect(request["X-Api-Key"] == "k3y")
            }
        }
    }

    @Test(arguments: [0, 1, 5]) func `a redirect beyond the limit is an answer`(limit: Int) async throws {
        try await withSender({ _ in Answer.redirect(307, to: "/friends") }) {
            $0.redirects = RedirectLimit(limit)
        } _: { server, source async throws in
            #expect(await source.sent().word == "answered 307")
            #expect(server.requests.count == limit + 1)
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308], [RequestMethod.post, .delete])
    func `a redirect to another origin is not followed: nothing was done there`(status: Int, method: RequestMethod) async throws {
        try await ScriptedServer.run({ _ in Answer.text("there") }) { other async throws in
            try await withSender(Self.script(status, to: "\(other.url)/there")) {
                $0.method = method
                $0.redirects = RedirectLimit(status == 301 ? 0 : 5)
            } _: { server, source async throws in
                let sent = await source.sent()

                #expect(sent.word == "not sent")
                #expect(sent.failure?.kind == .refused)
                let words = "a redirect from \(server.url)/friends (\(status)) to \(other.url); if that is meant, send there"
                #expect(sent.failure?.reason == words)
                #expect(other.requests.isEmpty)
            }
        }
    }

    @Test func `another name of the same host is another origin`() async throws {
        let script: ScriptedServer.Script = {
            Answer.redirect(307, to: "http://localhost:\($0["Host"]?.split(separator: ":").last ?? "")/")
        }
        try await withSender(script) { server, source async throws in
            #expect(await source.sent().failure?.kind == .refused)
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [303, 307], ["file:///etc/passwd", "http:///nowhere", "http://host:99999/"])
    func `a redirect that cannot be read is an answer`(status: Int, location: String) async throws {
        try await withSender(Self.script(status, to: location)) { _, source async throws in
            #expect(await source.sent().word == "answered \(status)")
        }
    }

    @Test(arguments: [303, 307]) func `a redirect without a Location is its status`(status: Int) async throws {
        try await withSender({ _ in Answer.text("", status: status) }) { _, source async throws in
            #expect(await source.sent().word == (status == 303 ? "accepted" : "answered 307"))
        }
    }

    @Test func `behind a redirect each request says for itself whether it was processed`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("there") }) { other async throws in
            let script: ScriptedServer.Script = {
                switch $0.target {
                case "/closed", "/elsewhere": Answer.redirect(308, to: $0.target + "/there")
                case "/closed/there": [.close]
                default: Answer.redirect(302, to: other.url)
                }
            }
            try await withSender(script, path: "/{user}") { server, source async throws in
                #expect(await source.sent(.of(user: "closed")).word == "perhaps sent")
                #expect(await source.sent(.of(user: "elsewhere")).word == "not sent")
                #expect(server.requests.count == 4)
                #expect(other.requests.isEmpty)
            }
        }
    }
}
