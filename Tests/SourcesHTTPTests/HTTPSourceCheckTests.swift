import NIOCore
import Pipeline
import PipelineConfig
import PipelineNetwork
import PipelineTesting
import Testing

@testable import SourcesHTTP

/// Whether a server could be asked, found out without changing anything there.
@Suite(.timeLimit(.minutes(15)))
struct HTTPSourceCheckTests {
    @Test(arguments: [
        "Content-Length: 7", "Content-Length: 7\t", "Content-Length: x", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
        "Content-Encoding: gzip",
        "Content-Encoding: br", "X: a\r\n b",
    ])
    func `the answer to HEAD has no body, whatever its fields say`(field: String) async throws {
        try await ScriptedServer.run({ _ in [.text(Answer.head(headers: [field]))] }) { server async throws in
            try await withSource(server.url) { source async throws in
                for _ in 1...3 { #expect(try await source.check() == .reachable) }
            }
        }
    }

    @Test(arguments: [200, 204, 301, 400, 404, 405, 500, 503]) func `any answer but a refusal is one of a server that is there`(
        status: Int
    ) async throws {
        let script: ScriptedServer.Script = { _ in
            [.text(Answer.head(status: status, headers: ["Content-Length: 0", "Location: http://127.0.0.1:1/"]))]
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("\(server.url)/friends?page=1") {
                $0.method = .post
                $0.body = "[1]"
                $0.headers = FieldMap([("X-Api-Key", "k3y")])
            } _: { source async throws in
                #expect(try await source.check() == .reachable)

                let request = try #require(server.requests.first)
                #expect(server.requests.count == 1)
                #expect(request.line == "HEAD /friends?page=1 HTTP/1.1")
                #expect(request["X-Api-Key"] == "k3y")
                #expect(request["Content-Type"] == nil && request.body == "")
            }
        }
    }

    @Test(arguments: [401, 403, 407]) func `a status that asks for credentials refuses`(status: Int) async throws {
        let script: ScriptedServer.Script = { _ in [.text(Answer.head(status: status, headers: ["Content-Length: 0"]))] }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("\(server.url)/friends?token=s3cr3t") { source async throws in
                let error = await #expect(throws: SourceError.self) { try await source.check() }
                #expect(error?.kind == .refused)
                #expect(error?.reason == "status \(status) from \(server.url)/friends")
            }
        }
    }

    @Test(arguments: ["/friends/{user}", "/friends?user={user}", "/{key}"])
    func `where the request depends on the key only the connection is tried`(path: String) async throws {
        try await ScriptedServer.run({ _ in [.text(Answer.head(status: 401, headers: []))] }) { server async throws in
            try await withSource(server.url + path) { source async throws in
                #expect(try await source.check() == .reachable)

                await server.closing()
                #expect(server.connections == 1 && server.requests.isEmpty)
            }
        }
    }

    @Test func `where a header depends on the key only the connection is tried`() async throws {
        try await ScriptedServer.run({ _ in [] }) { server async throws in
            try await withSource(server.url) {
                $0.headers = FieldMap([("Authorization", "Bearer {token}")])
            } _: { source async throws in
                #expect(try await source.check() == .reachable)
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test func `where the host depends on the key nothing is tried`() async throws {
        try await withSource("http://{user}.invalid/") { source async throws in
            #expect(try await source.check() == .untried("its host depends on a parameter"))
        }
    }

    @Test(arguments: ["/friends", "/{user}"]) func `no server listens`(path: String) async throws {
        let port = LoopbackPort.closed()
        try await withSource("http://127.0.0.1:\(port)\(path)") { source async throws in
            let error = await #expect(throws: SourceError.self) { try await source.check() }
            #expect(error?.reason == "connection refused by 127.0.0.1:\(port)")
            #expect(error?.kind == .failure)
        }
    }

    @Test(arguments: ["/friends", "/{user}"]) func `a server that does not speak TLS`(path: String) async throws {
        let listener = try await GreetingServer.listener(greeting: "220 mail.example.org ESMTP\r\n")
        let authority = "127.0.0.1:\(listener.localAddress?.port ?? 0)"
        try await withSource("https://\(authority)\(path)") { source async throws in
            let error = await #expect(throws: SourceError.self) { try await source.check() }
            #expect(error?.reason == "\(authority) does not use TLS: did you mean `http://`?")
            #expect(error?.kind == .failure)
        }
        try await listener.close()
    }

    @Test(arguments: ["http", "https"]) func `a server that says nothing is given up after the source's timeout`(scheme: String)
        async throws
    {
        let time = ManualClock()
        try await ScriptedServer.run({ _ in [] }) { server async throws in
            // With a parameter and TLS it is the greeting that is not answered, else the request.
            try await withSource("\(scheme)://\(server.authority)/\(scheme == "https" ? "{user}" : "")", clock: time.clock) {
                $0.timeout = .seconds(2)
            } _: { source async throws in
                async let failure = #expect(throws: SourceError.self) { try await source.check() }
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(2))

                let error = await failure
                #expect(error?.reason == "no answer within 2s")
                #expect(error?.kind == .timeout)
            }
        }
    }

    @Test(arguments: ["/friends", "/{user}"]) func `a check that is cancelled ends as cancelled`(path: String) async throws {
        try await ScriptedServer.run({ _ in [] }) { server async throws in
            try await withSource("https://\(server.authority)\(path)") { source async throws in
                let check = Task { try await source.check() }
                check.cancel()

                await #expect(throws: CancellationError.self) { try await check.value }
            }
        }
    }

    @Test func `a check waits for its turn, as any request does`() async throws {
        let script: ScriptedServer.Script = { $0.line.hasPrefix("HEAD") ? [.text(Answer.head(headers: ["Content-Length: 0"]))] : [] }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("\(server.url)/friends") {
                $0.limits.concurrency = .fixed(1)
            } _: { source async throws in
                let read = Task { try await source.text() }
                while server.requests.isEmpty { try await turn() }
                async let reachable = source.check()
                while snapshot(of: server)?.waiting != 1 { try await turn() }
                #expect(server.requests.count == 1)

                read.cancel()

                #expect(try await reachable == .reachable)
                #expect(snapshot(of: server)?.underWay == 0)
                await #expect(throws: CancellationError.self) { try await read.value }
            }
        }
    }

    @Test func `an origin that rests is not asked, and one that asks for a rest gets it`() async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = { _ in
            [.text(Answer.head(status: 503, headers: ["Content-Length: 0", "Retry-After: 7"]))]
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource("\(server.url)/friends", clock: time.clock) { source async throws in
                #expect(try await source.check() == .reachable)

                let error = await #expect(throws: SourceError.self) { try await source.check() }

                #expect(error?.reason == "asked to wait 7s")
                #expect(error?.kind == .skipped)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `a check after close fails`() async throws {
        try await withSource("http://127.0.0.1:1/") { source async throws in
            await source.close()

            let error = await #expect(throws: SourceError.self) { try await source.check() }
            #expect(error?.reason == "the source is closed")
        }
    }
}
