import CZlib
import NIOCore
import Pipeline
import Testing

@testable import SourcesHTTP

/// What the codings of a body come to, for those that a server may send.
@Suite(.timeLimit(.minutes(15)))
struct HTTPBodyCodingTests {
    private static let value = "{\"v\":1}"
    private static let gzip = zipped(value, 31)
    private static let half = [zipped("{\"v\"", 31), zipped(":1}", 31)]
    private static let deflate = zipped(value, 15)
    private static let raw = zipped(value, -15)
    private static let plain = Array(value.utf8)

    /// - Parameter window: 31 for gzip, 15 for deflate, -15 for the same without its wrapper.
    static func zipped(_ text: String, _ window: Int32) -> [UInt8] { zipped(Array(text.utf8), window) }

    private static func zipped(_ bytes: [UInt8], _ window: Int32) -> [UInt8] {
        var input = bytes
        return [UInt8](unsafeUninitializedCapacity: input.count + 128) { room, count in
            var stream = z_stream()
            deflateInit2_(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
            input.withUnsafeMutableBufferPointer { input in
                (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.next_out, stream.avail_out) = (room.baseAddress, UInt32(room.count))
                CZlib.deflate(&stream, Z_FINISH)
            }
            count = Int(stream.total_out)
            deflateEnd(&stream)
        }
    }

    /// Blocks of a deflated body without a byte, and members of gzip.
    private static let (blocks, members) = (
        (0..<200).flatMap { _ in [0, 0, 0, 0xFF, 0xFF] as [UInt8] }, (0..<50).flatMap { _ in zipped("", 31) }
    )

    /// Codings in the order in which they expand, what comes first, and what comes again and again: it expands to nothing.
    private static let hollows: [(codings: [BodyDecoder.Coding], begin: [UInt8], more: [UInt8])] = [
        ([.gzip], [], members), ([.gzip], gzip, [UInt8](repeating: 0, count: 1_000)), ([.deflate], [0x78, 0x01], blocks),
        ([.deflate], [], blocks), ([.deflate], deflate, [UInt8](repeating: 0, count: 1_000)),
        // The first expands to very much, and that to nothing.
        ([.gzip, .gzip], zipped(gzip, 31), Answer.bomb), ([.gzip, .deflate], zipped(deflate, 31), Answer.bomb),
    ]

    @Test(arguments: hollows.indices) func `of what expands to nothing the limit and 1 MiB are read`(index: Int) throws {
        let (codings, begin, more) = Self.hollows[index]
        let decoder = try #require(codings.reversed().reduce(nil) { next, coding in BodyDecoder(coding, then: next) })
        var (payload, given) = ([UInt8](), begin.count)
        try decoder.decode(ByteBuffer(bytes: begin), into: &payload, limit: 1 << 20)

        #expect(throws: BodyDecoder.Problem.tooLarge) {
            while given < 3 << 20 {
                try decoder.decode(ByteBuffer(bytes: more), into: &payload, limit: 1 << 20)
                given += more.count
            }
        }

        #expect(payload.count < 100 && (codings.count == 1 ? (2 << 20) - 1_100...2 << 20 ~= given : given < 5_000))
    }

    @Test func `an answer that expands to nothing is not read to its end`() async throws {
        let size = 100 << 20
        let head = Answer.head(headers: ["Connection: close", "Content-Encoding: gzip"])
        try await ScriptedServer.run({ _ in [.text(head), .bytes(Self.gzip), .zeros(size), .close] }) { server async throws in
            try await withSource(server.url) {
                $0.maxSize = .mebibytes(1)
            } _: { source async throws in
                #expect(await source.failure() == "the body from \(server.url)/ is larger than max_size (1MiB)")
                await server.closing()
                #expect(server.bytesWritten < size / 2)
            }
        }
    }

    /// A coding as the server names it, a body, and what the value is; nil for an error.
    static let codings: [(String, [UInt8], String?)] = [
        ("gzip", gzip, value), ("GZip", gzip, value), ("x-gzip", gzip, value), ("X-GZIP", gzip, value), ("gzip\t", gzip, value),
        ("\r\n gzip", gzip, value),
        ("identity, gzip", gzip, value), ("gzip, identity", gzip, value), ("identity,identity,GZIP,identity", gzip, value),
        (", gzip", gzip, value),
        ("gzip,", gzip, value), ("Identity", plain, value), ("identity, identity", plain, value), ("", plain, value), (",", plain, value),
        ("identity\r\nContent-Encoding: gzip", gzip, value), ("gzip\r\nContent-Encoding: identity", gzip, value),
        // Several members, and what may stand behind them.
        ("gzip", half[0] + half[1], value), ("gzip", zipped("", 31) + gzip, value), ("gzip", gzip + zipped("", 31), value),
        ("gzip", half[0] + zipped("", 31) + half[1], value), ("x-gzip", half[0] + half[1], value), ("gzip", gzip + [0, 0, 0], value),
        ("gzip", half[0] + [UInt8](repeating: 0, count: 100) + half[1], value),
        ("gzip", gzip + plain, nil), ("gzip", gzip + [0x1F], nil), ("gzip", half[0] + half[1].dropLast(), nil),
        ("gzip", Array(gzip.dropLast()), nil),
        ("gzip", plain, nil), ("gzip", deflate, nil), ("gzip", raw, nil),
        // With and without the wrapper.
        ("deflate", deflate, value), ("deflate", raw, value), ("Deflate", raw, value), ("identity, deflate", raw, value),
        ("deflate, identity", deflate, value),
        ("deflate", Array(raw.dropLast()), nil), ("deflate", Array(deflate.dropLast()), nil), ("deflate", [0x78], nil),
        ("deflate", raw + plain, nil),
        ("deflate", deflate + deflate, nil), ("deflate", plain, nil), ("deflate", gzip, nil),
        // One after the other.
        ("deflate, gzip", zipped(deflate, 31), value), ("DEFLATE,identity, X-Gzip", zipped(raw, 31), value),
        ("gzip, deflate", zipped(gzip, 15), value),
        ("gzip\r\nContent-Encoding: deflate", zipped(gzip, -15), value), ("gzip, deflate", zipped(deflate, 31), nil),
        ("deflate, gzip", gzip, nil),
        ("deflate, gzip", zipped(Array(deflate.dropLast()), 31), nil), ("deflate, gzip", Array(zipped(deflate, 31).dropLast()), nil),
        ("deflate, gzip", [], ""),
        ("gzip, gzip", zipped(gzip, 31), value), ("gzip\r\nContent-Encoding: x-gzip", zipped(gzip, 31), value),
        ("deflate, deflate", zipped(raw, 15), value), ("gzip, deflate, gzip", zipped(zipped(gzip, 15), 31), value),
        ("gzip, gzip", gzip, nil), ("gzip, gzip", [], ""),
        // Nothing is empty, and no error.
        ("gzip", [], ""), ("deflate", [], ""), ("x-gzip", [], ""), ("gzip", zipped("", 31), ""), ("deflate", zipped("", 15), ""),
        ("deflate", zipped("", -15), ""),
        // Unknown, and so none of our business.
        ("br", gzip, nil), ("zstd", gzip, nil), ("compress", gzip, nil), ("gzip, br", gzip, nil), ("gzip;q=1", gzip, nil),
        ("\"gzip\"", gzip, nil),
        ("gzip gzip", gzip, nil), ("gzip, gzip, gzip, gzip, gzip, gzip", gzip, nil), ("br", [], nil),
    ]

    @Test(arguments: codings)
    func `a body is what its codings make of it, in whatever pieces it comes`(coding: String, body: [UInt8], value: String?) async throws {
        let script: ScriptedServer.Script = { request in
            let head = ScriptedServer.Step.text(Answer.head(headers: ["Content-Encoding: \(coding)", "Content-Length: \(body.count)"]))
            return [head] + (request.number > 1 ? [.bytes(body)] : body.map { .bytes([$0]) })
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withKeptConnections(server.url) { source async throws in
                for _ in 1...2 {
                    let text = try? await source.text()
                    #expect(text == value)
                }
            }
        }
    }

    @Test func `a large body is expanded whole, in one piece and in many`() throws {
        let text = (0..<200_000).map { "\($0)" }.joined(separator: ",")
        for window in [Int32(31), 15, -15] {
            let body = Self.zipped(text, window)
            for size in [1_000, 65_536, body.count] {
                let decoder = BodyDecoder(window == 31 ? .gzip : .deflate)
                var (payload, rest) = ([UInt8](), body[...])
                while !rest.isEmpty {
                    try decoder.decode(ByteBuffer(bytes: rest.prefix(size)), into: &payload, limit: text.utf8.count)
                    rest = rest.dropFirst(size)
                }
                try decoder.end()
                #expect(payload.elementsEqual(text.utf8))
            }
            var payload: [UInt8] = []
            #expect(throws: BodyDecoder.Problem.tooLarge) {
                try BodyDecoder(window == 31 ? .gzip : .deflate).decode(ByteBuffer(bytes: body), into: &payload, limit: text.utf8.count - 1)
            }
        }
    }

    @Test(arguments: ["gzip, chunked", "gzip", "chunked, chunked", "deflate, chunked", "br, chunked"])
    func `a transfer coding that is not asked for is never the value`(coding: String) async throws {
        let script: ScriptedServer.Script = { _ in
            [.text(Answer.head(headers: ["Transfer-Encoding: \(coding)"])), .text("3\r\n"), .bytes(Self.gzip), .close]
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) { source async throws in
                let error = await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
                #expect(error?.kind == .invalid)
                #expect(error?.reason == "the answer from \(server.authority) is in the transfer coding `\(coding)`, which is unknown")
                if case .never = error?.retry.moment {} else { Issue.record("it would be asked again") }
            }
        }
    }

    @Test(arguments: [
        [], ["Content-Length: 0"], ["Content-Length: 7"], ["Content-Length: 7 "], ["Content-Length: x"],
        ["Content-Length: 7", "Content-Length: 8"],
        ["Transfer-Encoding: chunked"], ["Transfer-Encoding: gzip, chunked"], ["Content-Encoding: gzip"], ["Content-Encoding: br"],
        ["Content-Encoding: deflate", "Content-Length: 20"], ["Content-Range: bytes 0-6/7"],
    ])
    func `an answer with 204 is empty, whatever its fields say, and its connection is used again`(fields: [String]) async throws {
        try await ScriptedServer.run({ _ in [.text(Answer.head(status: 204, headers: fields))] }) { server async throws in
            try await withKeptConnections(server.url) { source async throws in
                for _ in 1...5 { #expect(try await source.text() == "") }
                // The next request may come before the connection is back.
                #expect(server.connections < 5)
            }
        }
    }

    @Test(arguments: [
        ["Content-Length: 0"], ["Content-Length: 7"], ["Content-Encoding: gzip", "Content-Length: 0"],
        ["Content-Encoding: br", "Content-Length: 0"],
    ])
    func `an answer with 205 is empty, and nothing is waited for`(fields: [String]) async throws {
        try await ScriptedServer.run({ _ in [.text(Answer.head(status: 205, headers: fields))] }) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(try await source.text() == "")
            }
        }
    }

    @Test func `a 304 that counts as a value is empty`() async throws {
        let fields = ["Content-Length: 7", "Content-Encoding: gzip"]
        try await ScriptedServer.run({ _ in [.text(Answer.head(status: 304, headers: fields))] }) { server async throws in
            try await withSource(server.url, { $0.accepted = AcceptedStatuses([StatusPattern(304...304)]) }) { source async throws in
                #expect(try await source.text() == "")
            }
        }
    }

    @Test(arguments: ["5 ", "5\t", "5;a", "5 ;a=b"])
    func `the size of a chunk may have blanks and extensions behind it`(size: String) async throws {
        let script: ScriptedServer.Script = { _ in
            [.text(Answer.head(headers: ["Transfer-Encoding: chunked\t"])), .text("\(size)\r\n[1,2]\r\n0 \r\nX: a\r\n b\r\n\r\n")]
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withKeptConnections(server.url) { source async throws in
                for _ in 1...5 { #expect(try await source.text() == "[1,2]") }
                #expect(server.connections < 5)
            }
        }
    }

    @Test(arguments: ["\t", " ", "\t \t", "\r\n ", "\r\n\t"])
    func `blanks after a field and folds are no part of what it says`(blank: String) async throws {
        let script: ScriptedServer.Script = { request in
            switch request.line.split(separator: " ")[1] {
            case "/from": [.text(Answer.head(status: 302, headers: ["Location: /to\(blank)", "Content-Length: 0\(blank)"]))]
            default:
                Answer.text(
                    "[1]",
                    headers: ["ETag: \"a\"\(blank)", "Last-Modified:\(blank)Wed, 31 Dec 2025 12:00:00 GMT", "Content-Type: a/b\(blank)"])
            }
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url + "/from") { source async throws in
                let entry = try #require(try await source.read(Key(pipeline: "friends")))
                #expect(entry.payload == Array("[1]".utf8) && entry.etag == "\"a\"" && entry.contentType == "a/b")
                #expect(entry.lastModified == "Wed, 31 Dec 2025 12:00:00 GMT")
            }
        }
    }
}
