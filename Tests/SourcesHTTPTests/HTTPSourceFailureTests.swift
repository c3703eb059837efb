import NIOCore
import Pipeline
import PipelineConfig
import PipelineTesting
import SourcesHTTP
import Testing

@Suite(.timeLimit(.minutes(15)))
struct HTTPSourceFailureTests {
    @Test func `a server that never answers is given up after the timeout`() async throws {
        let time = ManualClock()
        try await ScriptedServer.run({ _ in [] }) { server async throws in
            try await withSource(server.url, clock: time.clock) {
                $0.timeout = .seconds(2)
            } _: { source async throws in
                async let failure = source.failure()
                await server.arrival()
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(2))

                #expect(await failure == "no answer within 2s")
                await server.closing()
            }
        }
    }

    @Test(arguments: [
        (400, SourceError.Kind.rejected), (401, .rejected), (403, .rejected), (422, .rejected), (499, .rejected),
        (408, .failure), (429, .failure), (500, .failure), (503, .failure), (305, .failure),
    ])
    func `a status says whether the server or the request is at fault`(status: Int, kind: SourceError.Kind) async throws {
        try await ScriptedServer.run({ _ in Answer.text("", status: status) }) { server async throws in
            try await withSource(server.url) { source async throws in
                let error = await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }

                #expect(error?.kind == kind)
                #expect(error?.reason.hasPrefix("status \(status) from ") == true)
            }
        }
    }

    @Test func `the timeout bounds the redirects and the body, too`() async throws {
        let time = ManualClock()
        let script: ScriptedServer.Script = { request in
            guard request.target != "/" else {
                time.advance(by: .seconds(1))
                return Answer.redirect(302, to: "/there")
            }
            return [.text(Answer.head(headers: ["Content-Length: 10"])), .text("half")]
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url, clock: time.clock) {
                $0.timeout = .seconds(2)
            } _: { source async throws in
                async let failure = source.failure()
                await server.arrival()
                await server.arrival()
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(1))

                #expect(await failure == "no answer within 2s")
            }
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"])
    func `a cancelled read ends as cancelled, and the server sees its connection close`(answer: String) async throws {
        try await ScriptedServer.run({ _ in [.text(answer)] }) { server async throws in
            try await withSource(server.url) { source async throws in
                let read = Task { try await source.read(Key(pipeline: "friends")) }
                await server.arrival()
                read.cancel()

                await #expect(throws: CancellationError.self) { try await read.value }
                await server.closing()
            }
        }
    }

    @Test func `a read that is cancelled before it begins ends as cancelled`() async throws {
        try await ScriptedServer.run({ _ in [] }) { server async throws in
            try await withSource(server.url) {
                $0.timeout = .seconds(30)
            } _: { source async throws in
                let read = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await source.read(Key(pipeline: "friends"))
                }

                await #expect(throws: CancellationError.self) { try await read.value }
            }
        }
    }

    @Test func `a server that closes at once`() async throws {
        try await ScriptedServer.run({ _ in [.close] }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(await source.failure() == "the connection was closed before the answer was whole")
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1garbage\r\n\r\n",
    ])
    func `a server that says more than it was asked`(answer: String) async throws {
        try await ScriptedServer.run({ _ in [.text(answer)] }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(try await source.text() == "1")
                // The connection with the rest may be taken for the next read before it is closed. The rest is never its answer.
                #expect(await source.failure() != "no failure but 2")
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 999 X\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n", "HTTP/1.1 200 OK\r\nA b: c\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n", "\0\0\0\0\r\n\r\n",
    ])
    func `an answer that breaks the rules is an error`(answer: String) async throws {
        try await ScriptedServer.run({ _ in [.text(answer), .close] }) { server async throws in
            try await withSource(server.url) { source async throws in
                await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
            }
        }
    }

    @Test func `a head without end is an error`() async throws {
        let head = "HTTP/1.1 200 OK\r\n" + String(repeating: "X-Field: \(String(repeating: "x", count: 1_000))\r\n", count: 1_000)
        try await ScriptedServer.run({ _ in [.text(head), .close] }) { server async throws in
            try await withSource(server.url) { source async throws in
                await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
            }
        }
    }

    @Test func `an answer that is not HTTP`() async throws {
        try await ScriptedServer.run({ _ in [.text("220 mail.example.org ESMTP\r\n\r\n"), .close] }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(await source.failure().hasPrefix("the answer from \(server.authority) is not HTTP: "))
            }
        }
    }

    @Test(arguments: [
        ("220 mail.example.org ESMTP\r\n\r\n", "it does not begin with `HTTP/`"),
        ("HTTP/1.1 abc X\r\n\r\n", "its status is not a number of three digits"),
        ("HTTP/2.0 200 OK\r\n\r\n", "its version is neither 1.0 nor 1.1"),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "its length is malformed, or said twice"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "the size of a chunk is malformed"),
        ("HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", "a header field is malformed"),
    ])
    func `why an answer is not HTTP is said in words`(text: String, words: String) async throws {
        try await ScriptedServer.run({ _ in [.text(text), .close] }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(await source.failure() == "the answer from \(server.authority) is not HTTP: \(words)")
            }
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `no server listens`(host: String) async throws {
        let port = LoopbackPort.closed()
        try await withSource("http://\(host):\(port)/friends") { source async throws in
            let error = await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
            #expect(error?.reason == "connection refused by \(host):\(port)")
            #expect(error?.cause != nil)
            let connecting = await #expect(throws: SourceError.self) { try await source.connect() }
            #expect(connecting?.reason == "connection refused by \(host):\(port)")
        }
    }

    @Test func `an unknown host`() async throws {
        try await withSource("http://x.invalid/") { source async throws in
            let failure = await source.failure()
            #expect(["cannot resolve host x.invalid", "no connection to x.invalid:80 within 10s"].contains(failure))
        }
    }

    @Test func `a server that does not speak TLS`() async throws {
        // The server takes the greeting for a request only when it ends in an empty line, so it speaks first, as SMTP servers do.
        let listener = try await GreetingServer.listener(greeting: "220 mail.example.org ESMTP\r\n")
        let port = listener.localAddress?.port ?? 0
        try await withSource("https://127.0.0.1:\(port)/") { source async throws in
            let error = await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
            #expect(error?.reason == "127.0.0.1:\(port) does not use TLS: did you mean `http://`?")
            #expect(error?.cause != nil)
        }
        try await listener.close()
    }

    @Test func `connect opens a connection and sends nothing`() async throws {
        try await ScriptedServer.run({ _ in [] }) { server async throws in
            try await withSource("\(server.url)/{user}") { source async throws in
                try await source.connect()

                await server.closing()
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test func `connect does nothing when the host depends on the key`() async throws {
        try await withSource("http://{user}.invalid/") { try await $0.connect() }
    }

    @Test func `reads after close fail, and those of other sources do not`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("1") }) { server async throws in
            try await withSource(server.url) { other async throws in
                try await withSource(server.url) { source async throws in
                    #expect(try await source.text() == "1")
                    #expect(try await other.text() == "1")
                    await source.close()
                    await source.close()

                    #expect(await source.failure() == "the source is closed")
                    #expect(try await other.text() == "1")
                }
            }
        }
    }

    @Test func `a source that is never closed`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("1") }) { server async throws in
            let source = HTTPSource(HTTPSettings(url: try .written(server.url)), clock: .system)

            #expect(try await source.text() == "1")
        }
    }
}
