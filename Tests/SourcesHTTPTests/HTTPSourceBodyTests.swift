import Pipeline
import SourcesHTTP
import Testing

@Suite(.timeLimit(.minutes(15)))
struct HTTPSourceBodyTests {
    private static let friends = "{\"friends\":[1,2,3]}"

    @Test(arguments: [
        ("gzip", Answer.gzip), ("deflate", Answer.deflate), ("GZIP", Answer.gzip), ("x-gzip", Answer.gzip), ("X-GZip", Answer.gzip),
        ("identity", Array(friends.utf8)),
    ])
    func `a compressed body is decoded`(coding: String, body: [UInt8]) async throws {
        try await ScriptedServer.run({ _ in Answer.bytes(body, headers: ["Content-Encoding: \(coding)"]) }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(try await source.text() == Self.friends)
                #expect(server.requests.first?["Accept-Encoding"] == "deflate, gzip")
            }
        }
    }

    @Test(arguments: [1, 10, 38])
    func `CR-09 a truncated gzip stream is an error`(length: Int) async throws {
        let body = Array(Answer.gzip.prefix(length))
        try await ScriptedServer.run({ _ in Answer.bytes(body, headers: ["Content-Encoding: gzip"]) }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(await source.failure() == "the compressed body from \(server.url)/ is cut short")
            }
        }
    }

    @Test func `CR-09 a body that is not what its encoding says is invalid`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("no gzip at all", headers: ["Content-Encoding: gzip"]) }) { server async throws in
            try await withSource(server.url) { source async throws in
                let error = await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
                #expect(error?.reason == "the compressed body from \(server.url)/ cannot be decoded")
                #expect(error?.kind == .invalid)
                #expect(error?.cause != nil)
            }
        }
    }

    @Test(arguments: ["br", "x-compress", "gzip, br"])
    func `CR-09 a body in an unknown encoding is invalid`(coding: String) async throws {
        try await ScriptedServer.run({ _ in Answer.text("bytes", headers: ["Content-Encoding: \(coding)"]) }) { server async throws in
            try await withSource(server.url) { source async throws in
                let error = await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
                #expect(error?.reason == "the content encoding `\(coding)` from \(server.url)/ is unknown")
                #expect(error?.kind == .invalid)
            }
        }
    }

    @Test func `a decompression bomb is an error`() async throws {
        try await ScriptedServer.run({ _ in Answer.bytes(Answer.bomb, headers: ["Content-Encoding: gzip"]) }) { server async throws in
            try await withSource(server.url) {
                $0.maxSize = Size(bytes: 100 << 10)
            } _: { source async throws in
                #expect(await source.failure() == "the body from \(server.url)/ is larger than max_size (100KiB)")
            }
            try await withSource(server.url) {
                $0.maxSize = Size(bytes: 200 << 10)
            } _: { source async throws in
                #expect(try await source.read(Key(pipeline: "friends"))?.payload?.count == 200 << 10)
            }
        }
    }

    @Test func `a chunked body is put together`() async throws {
        let script: ScriptedServer.Script = { _ in
            [.text(Answer.head(headers: ["Transfer-Encoding: chunked"])), .text("2\r\n[1\r\n"), .text("3\r\n,2]\r\n0\r\n\r\n")]
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(try await source.text() == "[1,2]")
            }
        }
    }

    @Test func `a body that ends with its connection is whole`() async throws {
        try await ScriptedServer.run({ _ in [.text(Answer.head(headers: [])), .text("[1,2]"), .close] }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(try await source.text() == "[1,2]")
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[1,2]",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1,2]\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1,",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "",
    ])
    func `CR-09 an answer that is cut short is an error`(answer: String) async throws {
        try await ScriptedServer.run({ _ in [.text(answer), .close] }) { server async throws in
            try await withSource(server.url) { source async throws in
                let error = await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
                #expect(error?.reason == "the connection was closed before the answer was whole")
                #expect(error?.cause != nil)
            }
        }
    }

    @Test func `a body that declares more than max_size is refused before it is read`() async throws {
        let script: ScriptedServer.Script = { _ in [.text(Answer.head(headers: ["Content-Length: 11"])), .text("0123456789")] }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) {
                $0.maxSize = Size(bytes: 10)
            } _: { source async throws in
                #expect(await source.failure() == "the body from \(server.url)/ is larger than max_size (10)")
            }
        }
    }

    @Test func `a body of exactly max_size is read`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("0123456789") }) { server async throws in
            try await withSource(server.url) {
                $0.maxSize = Size(bytes: 10)
            } _: { source async throws in
                #expect(try await source.text() == "0123456789")
            }
        }
    }

    @Test func `a body over max_size is not read to its end`() async throws {
        let size = 100 << 20
        let script: ScriptedServer.Script = { _ in [.text(Answer.head(headers: ["Connection: close"])), .zeros(size), .close] }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) {
                $0.maxSize = .mebibytes(1)
            } _: { source async throws in
                #expect(await source.failure() == "the body from \(server.url)/ is larger than max_size (1MiB)")
                await server.closing()
                #expect(server.bytesWritten < size / 2)
            }
        }
    }
}
