import NIOCore
import NIOHTTP1
import Pipeline
import PipelineConfig
import PipelineJSON
import PipelineLive
import PipelineTesting
import Testing

@testable import SourcesWebSocket

/// The handshake, what is sent behind it, and what its answers mean.
@Suite(.timeLimit(.minutes(15)))
struct WebSocketHandshakeTests {
    private static let upgrade = "HTTP/1.1 101 X\nUpgrade: websocket\nConnection: keep-alive, Upgrade\nSec-WebSocket-Accept: "

    private let joined = MessagePattern(JSONPointer("/type").map { [$0: "joined"] } ?? [:])

    @Test func `the request has the fields of the file, with values in their places`() async throws {
        let key = Key(pipeline: "friends", parameters: ["user": "a/b\"", "token": "t"])
        try await RawServer.run([.accept(Frame.close(1_000))]) { server async throws in
            let source = try server.source("/friends?user={user}") {
                $0.headers = FieldMap([("Authorization", "Bearer {token}")])
                $0.subscribe = [TextTemplate(#"{"join":"friends:{user}"}"#), TextTemplate("{user}")]
            }
            _ = try await source.ending(for: key)

            let lines = server.heads.first?.split(separator: "\r\n").map(String.init) ?? []
            #expect(lines.first == "GET /friends?user=a%2Fb%22 HTTP/1.1")
            for line in [
                "Host: \(server.authority)", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                "Authorization: Bearer t",
            ] {
                #expect(lines.contains(line))
            }
            let frames = [await server.frame(), await server.frame()]
            #expect(frames.map { $0?.text } == [#"{"join":"friends:a/b\""}"#, #""a/b\"""#])
            #expect(frames.allSatisfy { $0?.opcode == 1 && $0?.isMasked == true })
        }
    }

    @Test func `a value with a line break cannot stand in a header`() async throws {
        try await RawServer.run([]) { server async throws in
            let source = try server.source { $0.headers = FieldMap([("X", "{user}")]) }
            let key = Key(pipeline: "friends", parameters: ["user": "a\r\nY: b"])
            #expect(throws: SourceError.self) { try source.channel(for: key) }
            await #expect(throws: SourceError.self) { try await source.ending(for: key) }
            #expect(server.heads.isEmpty)
        }
    }

    @Test func `keys share a connection when their URL, fields and messages are equal`() async throws {
        try await RawServer.run([]) { server async throws in
            let source = try server.source("/{a}") { $0.subscribe = [TextTemplate("{b}")] }
            func channel(_ a: String, _ b: String, _ c: String) throws -> String {
                try source.channel(for: Key(pipeline: "p", parameters: ["a": a, "b": b, "c": c]))
            }
            #expect(try channel("1", "1", "1") == channel("1", "1", "2"))
            #expect(try channel("1", "1", "1") != channel("2", "1", "1"))
            #expect(try channel("1", "1", "1") != channel("1", "2", "1"))
        }
    }

    @Test(arguments: [" ", "\t", "\r\n\t", " \t\r\n \t\r\n "])
    func `blanks after a field and folds are no part of what it says`(blank: String) throws {
        let text =
            "HTTP/1.1 101 X\r\nUpgrade:\(blank)websocket\(blank)\r\nConnection: keep-alive,\(blank)Upgrade\(blank)\r\nX: a\(blank)b\r\n\r\nrest"
        var buffer = ByteBuffer(string: text)
        var heads = AnswerHead()
        let head = try #require(try heads.take(from: &buffer))

        #expect(head.headers["Upgrade"] == ["websocket"] && head.headers[canonicalForm: "Connection"] == ["keep-alive", "Upgrade"])
        #expect(head.headers["X"].first?.split { $0 == " " || $0 == "\t" } == ["a", "b"])
        #expect(String(buffer: buffer) == "rest")
    }

    @Test func `a head is found in whatever pieces it comes, and nothing is kept of those before it`() throws {
        var (heads, buffer) = (AnswerHead(), ByteBuffer())
        let all = String(repeating: "HTTP/1.1 103 X\r\nA: b\r\n\r\n", count: 3) + "HTTP/1.1 401 X\r\n\nrest"
        var statuses: [UInt] = []
        for byte in all.utf8 {
            buffer.writeInteger(byte)
            while statuses.last != 401, let head = try heads.take(from: &buffer) { statuses.append(head.status.code) }
        }
        #expect(statuses == [103, 103, 103, 401])
        #expect(String(buffer: buffer) == "rest")
    }

    @Test func `the stream begins with the message of ready`() async throws {
        let frames = Frame.text(#"{"type":"hello"}"#) + Frame.text(#"{"type":"joined"}"#) + Frame.text("1") + Frame.close(1_000)
        let heard = Heard()
        try await RawServer.run([.accept(frames)]) { server async throws in
            _ = try await server.source { $0.ready = joined }.ending(heard)
        }
        #expect(heard.words == ["begin", "1"])
    }

    @Test(arguments: [
        ("HTTP/1.1 401 X", LiveEnding.Kind.refused, "status 401"), ("HTTP/1.1 403 X", .refused, "status 403"),
        ("HTTP/1.1 404 X", .refused, "status 404"), ("HTTP/1.1 408 X", .lost, "status 408"), ("HTTP/1.1 425 X", .lost, "status 425"),
        ("HTTP/1.1 429", .lost, "status 429"), ("HTTP/1.1 500 X", .lost, "status 500"), ("HTTP/1.1 503 X", .lost, "status 503"),
        ("HTTP/1.1 301 X\nLocation: /", .refused, "redirects are not followed"),
        ("HTTP/1.1 200 OK\nContent-Type: text/html\n\n<html>", .refused, "there is no WebSocket"),
        ("HTTP/1.1 100 Continue\n\nHTTP/1.1 404 X", .refused, "status 404"),
        ("\(upgrade)x", .faulty, "does not belong to the request"), ("HTTP/1.1 101 X", .faulty, "does not change to WebSocket"),
        ("\(upgrade)ACCEPT\nSec-WebSocket-Extensions: permessage-deflate", .faulty, "an extension that was not asked for"),
        ("\(upgrade)ACCEPT\nSec-WebSocket-Protocol: chat", .faulty, "a subprotocol that was not asked for"),
        ("SSH-2.0-OpenSSH_9.2", .faulty, "it is not HTTP/1.1"), ("HTTP/1.1 099 X", .faulty, "status line is malformed"),
        ("HTTP/1.1 4o1 X", .faulty, "status line is malformed"), ("HTTP/1.1 401 X\n: x", .faulty, "without a name"),
        ("HTTP/1.1 200 X\nX: \(String(repeating: "x", count: 40_000))", .faulty, "longer than 32 KiB"),
        (String(repeating: "HTTP/1.1 103 X\nLink: </a>\n\n", count: 3_000) + "HTTP/1.1 401 X", .faulty, "longer than 64 KiB"),
        (String(repeating: "HTTP/1.1 103 X\nLink: </a>\n\n", count: 1_000) + "HTTP/1.1 401 X", .refused, "status 401"),
    ])
    func `LV-32 an answer that does not agree says why`(head: String, kind: LiveEnding.Kind, words: String) async throws {
        let heard = Heard()
        try await RawServer.run([.head(head)]) { server async throws in
            let ending = try await server.source("/friends?token=secret").ending(heard)
            #expect(ending.kind == kind)
            #expect(ending.reason.contains(words), "\(ending.reason)")
            #expect(ending.reason.contains("ws://\(server.authority)/friends"))
            #expect(!ending.reason.contains("secret"))
            await server.closing()
        }
        #expect(heard.all.isEmpty)
    }

    @Test(arguments: [
        ("7", Duration.seconds(7)), ("0", nil), ("soon", nil), ("99999999999999999999", .seconds(86_400)),
        ("Thu, 01 Jan 2026 00:00:30 GMT", .seconds(30)), ("Wed, 31 Dec 2025 23:59:59 GMT", nil),
    ])
    func `Retry-After is the pause, in seconds or as a date`(value: String, pause: Duration?) async throws {
        try await RawServer.run([.head("HTTP/1.1 503 X\nRetry-After: \(value)")]) { server async throws in
            let ending = try await server.source(clock: ManualClock().clock).ending()
            #expect(ending.pause == pause.map { $0...$0 })
        }
    }

    @Test func `LV-31 silence in the handshake ends with the connect timeout`() async throws {
        let time = ManualClock()
        try await RawServer.run([]) { server async throws in
            let source = try server.source(clock: time.clock)
            async let ended: Void = {
                let error = await #expect(throws: SourceError.self) { try await source.ending() }
                #expect(error?.kind == .timeout)
                #expect(error?.reason == "no answer to the handshake from ws://\(server.authority)/ within 10s")
            }()
            await server.arrival()
            time.advance(by: .seconds(10))
            await ended
            await server.closing()
        }
    }

    @Test func `without the message of ready the stream does not begin`() async throws {
        let time = ManualClock()
        try await RawServer.run([.accept(Frame.make(0x89, []))]) { server async throws in
            let source = try server.source(clock: time.clock) { $0.ready = joined }
            async let ended: Void = {
                let error = await #expect(throws: SourceError.self) { try await source.ending() }
                #expect(error?.reason == "no message that `ready` describes from ws://\(server.authority)/ within 10s")
                #expect(error?.help == "correct `ready`, or what `subscribe` sends")
            }()
            // The pong.
            _ = await server.frame()
            time.advance(by: .seconds(10))
            await ended
        }
    }

    @Test func `LV-31 a server that answers no ping is left`() async throws {
        let time = ManualClock()
        let heard = Heard()
        try await RawServer.run([.accept()]) { server async throws in
            let source = try server.source(clock: time.clock)
            async let ending = source.ending(heard)
            await heard.wait(for: "begin")
            await time.sleepers(atLeast: 1)
            time.advance(by: .seconds(20))
            #expect(await server.frame()?.opcode == 9)
            await time.sleepers(atLeast: 1)
            time.advance(by: .seconds(20))
            let ended = try await ending
            #expect(ended.kind == .lost)
            #expect(ended.reason == "no pong from \(server.authority) within 20s")
        }
    }

    @Test func `a cancelled source closes with 1000`() async throws {
        let heard = Heard()
        try await RawServer.run([.accept()]) { server async throws in
            let source = try server.source()
            let task = Task { try await source.ending(heard) }
            await heard.wait(for: "begin")
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await server.frame()?.code == 1_000)
        }
    }

    @Test func `a source that is cancelled in the handshake leaves at once`() async throws {
        try await RawServer.run([]) { server async throws in
            let source = try server.source()
            let task = Task { try await source.ending() }
            await server.arrival()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await server.closing()
        }
    }

    @Test func `a check makes the handshake, subscribes, waits for ready and closes`() async throws {
        try await RawServer.run([.accept(Frame.text(#"{"type":"joined"}"#))]) { server async throws in
            let source = try server.source {
                $0.subscribe = [TextTemplate("hello")]
                $0.ready = joined
            }
            #expect(try await source.check() == .reachable)
            #expect(await server.frame()?.text == "hello")
            #expect(await server.frame()?.code == 1_000)
        }
        try await RawServer.run([.head("HTTP/1.1 401 X")]) { server async throws in
            let error = await #expect(throws: SourceError.self) { try await server.source().check() }
            #expect(error?.kind == .refused)
            #expect(try await server.source("/{user}").check() == .reachable)
            #expect(server.heads.count == 1)
        }
    }

    @Test func `a check makes the handshake where subscribe alone depends on the key, and sends nothing`() async throws {
        try await RawServer.run([.accept()]) { server async throws in
            let source = try server.source {
                $0.subscribe = [TextTemplate("join {user}")]
                $0.ready = MessagePattern([.whole: "joined"])
            }
            #expect(try await source.check() == .reachable)
            #expect(await server.frame()?.code == 1_000)
        }
        try await RawServer.run([.head("HTTP/1.1 401 X")]) { server async throws in
            let source = try server.source { $0.subscribe = [TextTemplate("join {user}")] }
            let error = await #expect(throws: SourceError.self) { try await source.check() }
            #expect(error?.kind == .refused && error?.help == nil)
            #expect(server.heads.count == 1)
        }
    }

    @Test(
        arguments: [
            (
                RawServer.Step.head("HTTP/1.1 301 X\nLocation: /elsewhere"), "redirects are not followed",
                "write the URL that it leads to as `url`"
            ),
            (.head("HTTP/1.1 200 X"), "there is no WebSocket", "correct `url`"), (.head("HTTP/1.1 404 X"), "status 404", "correct `url`"),
            (.head("HTTP/1.1 426 X"), "status 426", "correct `url` or `headers`"), (.head("HTTP/1.1 403 X"), "status 403", nil),
            (
                .accept(Frame.close(4_001, "no")), "with 4001 (no)",
                "correct the credentials in `headers`, or what `subscribe` sends"
            ),
        ] as [(RawServer.Step, String, String?)])
    func `a check that is refused says what to do`(step: RawServer.Step, reason: String, help: String?) async throws {
        try await RawServer.run([step]) { server async throws in
            let source = try server.source { $0.ready = MessagePattern([.whole: "joined"]) }
            let error = await #expect(throws: SourceError.self) { try await source.check() }
            #expect(error?.kind == .refused && error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
            #expect(error?.help == help)
        }
    }

    @Test func `a certificate that is not trusted refuses, one in ca_file does not`() async throws {
        let certificate = try SelfSigned()
        defer { certificate.remove() }
        try await RawServer.run([.accept(Frame.text("1") + Frame.close(1_000))], tls: certificate.context) { server async throws in
            let error = await #expect(throws: SourceError.self) { try await server.source(scheme: "wss").ending() }
            #expect(error?.kind == .refused)
            #expect(error?.reason.hasPrefix("TLS: the certificate of \(server.authority) is not trusted") == true)

            let heard = Heard()
            _ = try await server.source(scheme: "wss") { $0.trusted = CertificateFile(certificate.file) }.ending(heard)
            #expect(heard.words == ["begin", "1"])
        }
    }

    @Test func `a connection that is refused says so`() async throws {
        // Nothing listens at the port of `discard`, which no server of a test gets either.
        let source = WebSocketSource(WebSocketSettings(url: try .written("ws://127.0.0.1:9/")), clock: .system)
        let error = await #expect(throws: SourceError.self) { try await source.ending() }
        #expect(error?.reason.hasPrefix("connection refused by 127.0.0.1:9") == true)
    }
}
