import Pipeline
import SourcesHTTP
import Testing

/// Answers that break the rules in their first lines: each is an error of the read, and none ends the process.
@Suite(.timeLimit(.minutes(15)))
struct HTTPSourceBrokenHeadTests {
    /// With and without a body, and with one that ends with the connection.
    private static let tails = ["\r\n\r\n", "\r\nContent-Length: 0\r\n\r\n", "\r\nContent-Length: 2\r\n\r\n[]", "\r\n\r\n[1]"]
    private static let lines = [
        "HTTP/1.1 000 X", "HTTP/1.1 001 X", "HTTP/1.1 010 X", "HTTP/1.1 042 X", "HTTP/1.1 099 X", "HTTP/1.1 000", "HTTP/1.0 000 X",
    ]
    static let heads: [String] =
        lines.flatMap { line in tails.map { line + $0 } } + [
            "HTTP/1.1 000 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n",
            "HTTP/1.1 000 X\r\nConnection: close\r\n\r\n", "HTTP/1.1 000 X\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 100 X\r\n\r\nHTTP/1.1 000 X\r\n\r\n", "HTTP/1.1 000 X\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1",
            "HTTP/1.1 100 X\r\nContent-Length: 2\r\n\r\n[]", "HTTP/1.1 103 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n",
            "HTTP/1.1 101 X\r\nContent-Length: 2\r\n\r\n[]", "HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nxyz",
            "HTTP/1.1 199 X\r\n\r\n", "HTTP/1.1 1 X\r\n\r\n", "HTTP/1.1 20 X\r\n\r\n", "HTTP/1.1 2000 X\r\n\r\n", "HTTP/1.1 -20 X\r\n\r\n",
            "HTTP/1.1 +20 X\r\n\r\n", "HTTP/1.1 0x1 X\r\n\r\n", "HTTP/1.1 99999999999999999999 X\r\n\r\n", "HTTP/1.1 abc X\r\n\r\n",
            "HTTP/1.1  X\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 \r\n\r\n", "HTTP/0.9 000 X\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n",
            "HTTP/1.9 000 X\r\n\r\n",
            "HTTP/1.1 600 X\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n", "http/1.1 200 OK\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n", "\r\n\r\n", "\u{0}", "{}", "ICY 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        ]

    @Test func `there are enough of them`() { #expect(Set(Self.heads).count >= 61) }

    @Test(arguments: heads)
    func `a broken head is an error of the tier`(head: String) async throws {
        try await ScriptedServer.run({ _ in [.text(head), .close] }) { server async throws in
            for method in [RequestMethod.get, .put] {
                try await withSource(server.url) {
                    $0.method = method
                    $0.body = method == .put ? "[1]" : nil
                } _: { source async throws in
                    await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
                    // Whether it is reachable depends on the head; it only must come back.
                    _ = try? await source.check()
                }
            }
        }
    }

    @Test(arguments: ["000", "001", "042", "099"])
    func `a status below 100 is named`(status: String) async throws {
        try await ScriptedServer.run({ _ in [.text("HTTP/1.1 \(status) X\r\n\r\n")] }) { server async throws in
            try await withSource(server.url) { source async throws in
                let words = "the answer from \(server.authority) is not HTTP: its status is \(status)"
                #expect(await source.failure() == words)
                let error = await #expect(throws: SourceError.self) { try await source.check() }
                #expect(error?.reason == words)
                await server.closing()
            }
        }
    }

    @Test func `on a reused connection, too, and the next read gets an answer`() async throws {
        let script: ScriptedServer.Script = { $0.number == 2 ? [.text("HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\n[]")] : Answer.text("1") }
        try await ScriptedServer.run(script) { server async throws in
            try await withKeptConnections(server.url) { source async throws in
                #expect(try await source.text() == "1")
                #expect(await source.failure().hasSuffix("its status is 000"))
                #expect(try await source.text() == "1")
                #expect(server.requests.count == 3)
            }
        }
    }
}
