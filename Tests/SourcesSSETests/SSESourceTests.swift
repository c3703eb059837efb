import Pipeline
import PipelineConfig
import PipelineLive
import PipelineTesting
import Testing

@testable import SourcesSSE

/// Event streams of a server, good and hostile ones.
@Suite(.timeLimit(.minutes(15)))
struct SSESourceTests {
    @Test func `events, ids, pauses and comments are reported in order`() async throws {
        let heard = Heard()
        try await StreamServer.run(.stream(": hi\n\nretry: 250\nid: 7\nevent: add\ndata: {\"id\":1}\n\ndata: 2\n\n")) {
            server async throws in
            let ending = try await server.source { $0.resumes = true }.ending(heard)
            #expect(ending.kind == .lost)
            #expect(ending.reason == "the stream was closed by \(server.authority)")
        }
        #expect(heard.all == ["begin", "alive", "base 0.25 seconds", "position 7", "add {\"id\":1}", "2"])
    }

    @Test(arguments: [(8_192, 8_192), (8_193, 0), (100_000, 0)])
    func `an id of more than 8 KiB is not sent back`(length: Int, kept: Int) async throws {
        let heard = Heard()
        let id = String(repeating: "x", count: length)
        try await StreamServer.run(.stream("id: 7\ndata: 1\n\nid: \(id)\ndata: 2\n\n")) { server async throws in
            _ = try await server.source { $0.resumes = true }.ending(heard)
        }
        #expect(heard.all == ["begin", "position 7", "1", "position \(id.prefix(kept))", "2"])
    }

    @Test func `the request has the fields of the file, with values in their places`() async throws {
        try await StreamServer.run(.stream("")) { server async throws in
            let source = try server.source("/{user}?a={user}") {
                $0.headers = FieldMap([("Authorization", "Bearer {user}")])
                $0.resumes = true
            }
            _ = try await source.listen(for: Key(pipeline: "p", parameters: ["user": "a/b"]), to: Heard().listener(at: "41"))
            let lines = server.heads.first?.split(separator: "\r\n").map(String.init) ?? []
            #expect(lines.first == "GET /a%2Fb?a=a%2Fb HTTP/1.1")
            for line in ["Authorization: Bearer a/b", "Accept: text/event-stream", "Cache-Control: no-store", "Last-Event-ID: 41"] {
                #expect(lines.contains(line), "\(lines)")
            }
        }
    }

    @Test(arguments: [" ", "\t", "\n\t", " \t\n \t"])
    func `blanks after a field and folds are no part of what it says`(blank: String) async throws {
        let heard = Heard()
        let head =
            "HTTP/1.1 200 OK\nContent-Type: text/event-stream\(blank)\nContent-Encoding: identity\(blank)\nTransfer-Encoding: chunked\(blank)"
        try await StreamServer.run({ number in
            number == 0
                ? .text("HTTP/1.1 302 X\nLocation: /there\(blank)\nContent-Length: 0") : .text(head, "9 \r\ndata: 1\n\n\r\n0\r\n\r\n")
        }) { server async throws in
            _ = try await server.source().ending(heard)
            #expect(server.heads.last?.hasPrefix("GET /there HTTP/1.1\r\n") == true)
        }
        #expect(heard.all == ["begin", "1"])
    }

    @Test(arguments: ["gzip, chunked", "gzip", "chunked, chunked", "br"])
    func `a transfer coding that is not asked for is no stream`(coding: String) async throws {
        let heard = Heard()
        let head = "HTTP/1.1 200 OK\nContent-Type: text/event-stream\nTransfer-Encoding: \(coding)"
        try await StreamServer.run(.text(head, "data: 1\n\n")) { server async throws in
            let error = await #expect(throws: SourceError.self) {
                try await server.source().listen(for: Key(pipeline: "p"), to: heard.listener)
            }
            #expect(error?.reason == "the answer from \(server.authority) is in the transfer coding `\(coding)`, which is unknown")
        }
        #expect(heard.all == [])
    }

    @Test func `without resume no position is sent or kept`() async throws {
        let heard = Heard()
        try await StreamServer.run(.stream("id: 7\ndata: 1\n\n")) { server async throws in
            _ = try await server.source().listen(for: Key(pipeline: "p"), to: heard.listener(at: "41"))
            #expect(server.heads.first?.contains("Last-Event-ID") == false)
        }
        #expect(heard.all == ["begin", "1"])
    }

    @Test(arguments: [
        ("HTTP/1.1 204 X", LiveEnding.Kind.ended, "status 204"), ("HTTP/1.1 401 X", .refused, "status 401"),
        ("HTTP/1.1 404 X", .refused, "status 404"), ("HTTP/1.1 408 X", .lost, "status 408"), ("HTTP/1.1 429 X", .lost, "status 429"),
        ("HTTP/1.1 503 X", .lost, "status 503"), ("HTTP/1.1 301 X", .refused, "status 301"), ("HTTP/1.1 206 X", .refused, "status 206"),
        ("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 0", .refused, "its content type is `text/html`"),
        ("HTTP/1.1 200 OK", .refused, "it has no content type"),
        ("HTTP/1.1 200 OK\nContent-Type: text/event-stream\nContent-Encoding: gzip", .refused, "is compressed"),
        ("HTTP/1.1 302 X\nLocation: ftp://x/", .refused, "cannot be followed"),
        ("HTTP/1.1 302 X\nLocation: /", .refused, "more than 5 redirects"),
        ("HTTP/1.1 099 X", .faulty, "is not HTTP"), ("SSH-2.0-OpenSSH_9.2", .faulty, "is not HTTP"),
        (
            "HTTP/1.1 200 OK\n" + (0..<300).map { "X\($0): \(String(repeating: "x", count: 1_000))" }.joined(separator: "\n"), .faulty,
            "too many header bytes"
        ),
    ])
    func `LV-32 an answer that is no stream says why`(head: String, kind: LiveEnding.Kind, words: String) async throws {
        let heard = Heard()
        try await StreamServer.run(.text(head, "")) { server async throws in
            let source = try server.source("/?token=secret")
            let ending: LiveEnding
            do {
                ending = try await source.ending(heard)
            } catch {
                ending = LiveEnding(error)
            }
            #expect(ending.kind == kind, "\(ending)")
            #expect(ending.reason.contains(words), "\(ending.reason)")
            #expect(!ending.reason.contains("secret"))
        }
        #expect(heard.all.isEmpty)
    }

    @Test func `Retry-After is the pause`() async throws {
        try await StreamServer.run(.text("HTTP/1.1 503 X\nRetry-After: 7")) { server async throws in
            #expect(try await server.source().ending().pause == .seconds(7)...(.seconds(7)))
        }
    }

    @Test func `a redirect is followed, to another host without credentials`() async throws {
        try await StreamServer.run(.stream("data: 1\n\n")) { target async throws in
            let there = target.url.replacing("127.0.0.1", with: "localhost")
            try await StreamServer.run({ $0 == 0 ? .text("HTTP/1.1 307 X\nLocation: /b") : .text("HTTP/1.1 302 X\nLocation: \(there)/c") })
            { server async throws in
                let heard = Heard()
                _ = try await server.source("/a") { $0.headers = FieldMap([("Authorization", "Bearer t")]) }.ending(heard)
                #expect(heard.words == ["begin", "1"])
                #expect(server.heads.map { $0.contains("Bearer t") } == [true, true])
                #expect(target.heads.map { $0.contains("Bearer t") } == [false])
                #expect(target.heads.first?.contains("text/event-stream") == true)
            }
        }
    }

    @Test func `LV-33 an event that is too long is a fault`() async throws {
        try await StreamServer.run(.stream("data: " + String(repeating: "x", count: 3_000), closes: false)) { server async throws in
            let ending = try await server.source { $0.maxMessage = Size(bytes: 2_048) }.ending()
            #expect(ending.kind == .faulty)
            #expect(ending.reason == "an event is longer than max_message (2KiB)")
            await server.closing()
        }
    }

    @Test(arguments: [nil, StreamServer.Answer.stream("data: 1\n\n", closes: false)])
    func `LV-31 silence ends with the idle timeout`(answer: StreamServer.Answer?) async throws {
        let time = ManualClock()
        let heard = Heard()
        try await StreamServer.run(answer) { server async throws in
            let source = try server.source(clock: time.clock)
            async let ending = source.ending(heard)
            if answer == nil { await server.arrival() } else { await heard.wait(for: "1") }
            await time.sleepers(atLeast: 1)
            time.advance(by: .seconds(60))
            let ended = try await ending
            #expect(ended.kind == .lost)
            #expect(ended.reason == "not a byte from \(server.authority) within 60s" || ended.reason.hasSuffix("within 1m"))
            await server.closing()
        }
    }

    @Test func `a cancelled source closes its connection`() async throws {
        let heard = Heard()
        try await StreamServer.run(.stream("data: 1\n\n", closes: false)) { server async throws in
            let source = try server.source()
            let task = Task { try await source.ending(heard) }
            await heard.wait(for: "1")
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await server.closing()
        }
    }

    @Test func `many streams from one host run at the same time`() async throws {
        try await StreamServer.run(.stream("data: 1\n\n", closes: false)) { server async throws in
            let source = try server.source("/{n}")
            await withTaskGroup(of: Void.self) { group in
                let heard = (0..<100).map { _ in Heard() }
                for (number, heard) in heard.enumerated() {
                    group.addTask {
                        _ = try? await source.ending(heard, for: Key(pipeline: "p", parameters: ["n": "\(number)"]))
                    }
                }
                for heard in heard { await heard.wait(for: "1") }
                group.cancelAll()
            }
            #expect(server.heads.count == 100)
        }
    }

    @Test func `a check asks for the stream and leaves it`() async throws {
        try await StreamServer.run(.stream("", closes: false)) { server async throws in
            #expect(try await server.source().check() == .reachable)
            await server.closing()
            #expect(try await server.source("/{user}").check() == .reachable)
            #expect(server.heads.count == 1)
        }
        try await StreamServer.run(.text("HTTP/1.1 401 X")) { server async throws in
            let error = await #expect(throws: SourceError.self) { try await server.source().check() }
            #expect(error?.kind == .refused)
        }
    }

    @Test(
        arguments: [
            ("HTTP/1.1 204 X", "status 204", "correct `url`: a feed of it would end at once"), ("HTTP/1.1 401 X", "status 401", nil),
            ("HTTP/1.1 404 X", "status 404", "correct `url`"), ("HTTP/1.1 400 X", "status 400", "correct `url` or `headers`"),
            ("HTTP/1.1 302 X\nLocation: /again", "more than 5 redirects", "correct `url`"),
            ("HTTP/1.1 302 X\nLocation: ftp://h/", "a redirect from", "write the URL that it leads to as `url`"),
            ("HTTP/1.1 200 X\nContent-Type: text/html", "is not an event stream", "correct `url`"),
            (
                "HTTP/1.1 200 X\nContent-Type: text/event-stream\nContent-Encoding: gzip", "is compressed",
                "have the server send it as it is"
            ),
        ] as [(String, String, String?)])
    func `a check that is refused says what to do`(head: String, reason: String, help: String?) async throws {
        try await StreamServer.run(.text("\(head)\nContent-Length: 0")) { server async throws in
            let error = await #expect(throws: SourceError.self) { try await server.source().check() }
            #expect(error?.kind == .refused && error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
            #expect(error?.help == help)
        }
    }

    @Test func `a check of a server that is not well asks for patience`() async throws {
        try await StreamServer.run(.text("HTTP/1.1 503 X\nContent-Length: 0")) { server async throws in
            let error = await #expect(throws: SourceError.self) { try await server.source().check() }
            #expect(error?.kind == .failure && error?.help == "the server is there: try again later, or correct `url`")
        }
    }

    @Test func `LV-36 a stream whose bytes come one by one gives the same events`() async throws {
        let body = "\u{FEFF}data: ä\r\n\r\nid: 1\ndata: 😀\n\n"
        var answer = StreamServer.Answer.stream("")
        answer.parts += body.utf8.map { [$0] }
        let heard = Heard()
        try await StreamServer.run(answer) { server async throws in _ = try await server.source().ending(heard) }
        #expect(heard.words == ["begin", "ä", "😀"])
    }
}
