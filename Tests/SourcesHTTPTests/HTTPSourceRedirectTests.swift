import Pipeline
import PipelineConfig
import SourcesHTTP
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15)))
struct HTTPSourceRedirectTests {
    private static let secrets: FieldMap<SecretTemplate> = FieldMap([
        ("X-Api-Key", "k3y"), ("Cookie", "id=1"), ("Accept", "application/json"), ("Accept-Language", "de"),
        ("User-Agent", "tests"), ("Content-Type", "text/plain"),
    ])

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect within the origin keeps the credentials and the headers`(status: Int) async throws {
        let script: ScriptedServer.Script = { request in
            request.target == "/a/b?x=1" ? Answer.redirect(status, to: "../c?y=2#top") : Answer.text("there")
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("http://me:pass%40word@\(server.authority)/a/b?x=1") {
                $0.headers = Self.secrets
            } _: { source async throws in
                #expect(try await source.text() == "there")

                #expect(server.requests.map(\.target) == ["/a/b?x=1", "/c?y=2"])
                for request in server.requests {
                    #expect(request["Authorization"] == "Basic bWU6cGFzc0B3b3Jk")
                    #expect(request["X-Api-Key"] == "k3y")
                    #expect(request["Cookie"] == "id=1")
                }
            }
        }
    }

    @Test func `a redirect that is followed counts as a further request, and is not sent where none may be`() async throws {
        let script: ScriptedServer.Script = { $0.target == "/start" ? Answer.redirect(302, to: "/end") : Answer.text("end") }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("\(server.url)/start") { source async throws in
                let counted = Mutex(0)
                var context = ReadContext()
                context.further = { counted.withLock { $0 += 1 } }
                _ = try await source.read(Key(pipeline: "friends"), context)
                #expect(counted.withLock { $0 } == 1)

                context.further = { throw SourceError("no more", kind: .unasked) }
                await #expect(throws: SourceError.self) { _ = try await source.read(Key(pipeline: "friends"), context) }
                #expect(server.requests.map(\.target) == ["/start", "/end", "/start"])
            }
        }
    }

    @Test func `a redirect out of the origin drops credentials and custom headers, and they stay dropped on the way back`() async throws {
        try await ScriptedServer.run({ Answer.redirect(302, to: "http://\($0.target.dropFirst())") }) { other async throws in
            let script: ScriptedServer.Script = { request in
                let host = request["Host"] ?? ""
                return request.target == "/start" ? Answer.redirect(307, to: "//\(other.authority)/\(host)/end") : Answer.text("end")
            }
            try await ScriptedServer.run(script) { server async throws in
                try await withSource("http://me:password@\(server.authority)/start") {
                    $0.headers = Self.secrets
                } _: { source async throws in
                    #expect(try await source.text() == "end")

                    #expect(server.requests.map(\.target) == ["/start", "/end"])
                    #expect(server.requests.first?["X-Api-Key"] == "k3y")
                    #expect(server.requests.first?["Authorization"] != nil)
                    #expect(other.requests.count == 1)
                    for request in other.requests + server.requests.dropFirst() {
                        #expect(request["Authorization"] == nil)
                        #expect(request["X-Api-Key"] == nil)
                        #expect(request["Cookie"] == nil)
                        #expect(request["Accept"] == "application/json")
                        #expect(request["Accept-Language"] == "de")
                        #expect(request["User-Agent"] == "tests")
                        #expect(request["Content-Type"] == "text/plain")
                    }
                }
            }
        }
    }

    @Test func `another name of the same host is another origin, and a user in the Location is not used`() async throws {
        let script: ScriptedServer.Script = { request in
            let port = request["Host"]?.split(separator: ":").last ?? ""
            return request.target == "/" ? Answer.redirect(302, to: "http://you:other@localhost:\(port)/there") : Answer.text("there")
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("http://me:password@\(server.authority)/") { source async throws in
                #expect(try await source.text() == "there")

                #expect(server.requests.last?["Host"] == "localhost:\(server.port)")
                #expect(server.requests.last?["Authorization"] == nil)
            }
        }
    }

    @Test(arguments: [
        (301, "GET", ""), (302, "GET", ""), (303, "GET", ""), (307, "POST", "[1]"), (308, "POST", "[1]"),
    ])
    func `a redirected POST`(status: Int, method: String, body: String) async throws {
        let script: ScriptedServer.Script = { $0.target == "/" ? Answer.redirect(status, to: "/there") : Answer.text("there") }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) {
                $0.method = .post
                $0.body = "[1]"
            } _: { source async throws in
                #expect(try await source.text() == "there")

                #expect(server.requests.map(\.method) == ["POST", method])
                #expect(server.requests.map(\.body) == ["[1]", body])
                #expect(server.requests.last?["Content-Type"] == (body.isEmpty ? nil : "application/json"))
            }
        }
    }

    @Test(arguments: [
        (307, RequestMethod.post), (308, .post), (307, .put), (301, .put), (302, .patch), (307, .query), (308, .delete),
    ])
    func `a body is not sent to another origin by a redirect`(status: Int, method: RequestMethod) async throws {
        try await ScriptedServer.run({ _ in Answer.text("there") }) { other async throws in
            try await ScriptedServer.run({ _ in Answer.redirect(status, to: "\(other.url)/there") }) { server async throws in
                try await withSource("\(server.url)/start") {
                    $0.method = method
                    $0.body = "{\"token\":\"s3cr3t\"}"
                } _: { source async throws in
                    let reason =
                        "a redirect from \(server.url)/start (\(status)) would send the body to \(other.url); if that is meant, ask there"
                    #expect(await source.failure() == reason)
                    #expect(other.requests.isEmpty)
                }
            }
        }
    }

    @Test(arguments: [301, 302, 303])
    func `a redirect that leaves the body out is followed to another origin`(status: Int) async throws {
        try await ScriptedServer.run({ _ in Answer.text("there") }) { other async throws in
            try await ScriptedServer.run({ _ in Answer.redirect(status, to: "\(other.url)/there") }) { server async throws in
                try await withSource("\(server.url)/start") {
                    $0.method = .post
                    $0.body = "{\"token\":\"s3cr3t\"}"
                } _: { source async throws in
                    #expect(try await source.text() == "there")
                    #expect(other.requests.map(\.method) == ["GET"])
                    #expect(other.requests.map(\.body) == [""])
                }
            }
        }
    }

    @Test(arguments: [(301, "PUT"), (302, "PUT"), (303, "GET"), (307, "PUT")])
    func `a redirected PUT`(status: Int, method: String) async throws {
        let script: ScriptedServer.Script = { $0.target == "/" ? Answer.redirect(status, to: "/there") : Answer.text("there") }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) {
                $0.method = .put
                $0.body = "text"
            } _: { source async throws in
                #expect(try await source.text() == "there")
                #expect(server.requests.map(\.method) == ["PUT", method])
            }
        }
    }

    @Test(arguments: [1, 5, 20])
    func `a loop ends after as many redirects as allowed`(limit: Int) async throws {
        try await ScriptedServer.run({ _ in Answer.redirect(302, to: "/friends") }) { server async throws in
            try await withSource("\(server.url)/friends?token=abc") {
                $0.redirects = RedirectLimit(limit)
            } _: { source async throws in
                #expect(await source.failure() == "more than \(limit) redirects, the last from \(server.url)/friends")
                #expect(server.requests.count == limit + 1)
            }
        }
    }

    @Test func `no redirect is followed when none is allowed`() async throws {
        try await ScriptedServer.run({ _ in Answer.redirect(302, to: "/there") }) { server async throws in
            try await withSource(server.url) {
                $0.redirects = RedirectLimit(0)
            } _: { source async throws in
                #expect(await source.failure() == "status 302 from \(server.url)/")
            }
        }
    }

    @Test(arguments: [
        ("file:///etc/passwd", "`file` is neither http nor https"),
        ("http:///nowhere", "it has no host"),
        ("http://a%2f@b%00c/", "`b%00c` is not the name of a host"),
        ("http://host:99999/", "`99999` is not a port"),
        ("javascript:1", "it has no host"),
    ])
    func `a redirect that cannot be followed`(location: String, problem: String) async throws {
        try await ScriptedServer.run({ _ in Answer.redirect(302, to: location) }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(await source.failure() == "a redirect from \(server.url)/ that cannot be followed: \(problem)")
            }
        }
    }

    @Test func `a redirect without a Location is its status`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("", status: 302) }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(await source.failure() == "status 302 from \(server.url)/")
            }
        }
    }

    @Test func `404 behind a redirect says that there is none`() async throws {
        let script: ScriptedServer.Script = { $0.target == "/" ? Answer.redirect(302, to: "there") : Answer.text("", status: 404) }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(try await source.read(Key(pipeline: "friends"))?.isNotFound == true)
            }
        }
    }
}
