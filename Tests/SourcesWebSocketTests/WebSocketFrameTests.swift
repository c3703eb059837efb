import Pipeline
import PipelineLive
import Testing

@testable import SourcesWebSocket

/// What frames come to, right and wrong ones.
@Suite(.timeLimit(.minutes(15)))
struct WebSocketFrameTests {
    /// A server that sends `frames` and then closes with 1000; at most 64 bytes are taken for a message.
    private func hear(_ frames: [UInt8], alone: Bool = false) async throws -> (ending: LiveEnding, heard: [String], sent: [ClientFrame]) {
        let heard = Heard()
        var (ending, sent) = (LiveEnding(.lost, ""), [ClientFrame]())
        try await RawServer.run([.accept(frames + (alone ? [] : Frame.close(1_000)))]) { server async throws in
            ending = try await server.source { $0.maxMessage = Size(bytes: 64) }.ending(heard)
            while let frame = await server.frame() {
                sent.append(frame)
                if frame.opcode == 8 { break }
            }
        }
        return (ending, heard.words, sent)
    }

    @Test(arguments: [
        ("one", Frame.text("{\"id\":1}"), ["{\"id\":1}"]),
        ("two in one write", Frame.text("1") + Frame.text("2"), ["1", "2"]),
        ("fragments", Frame.text("a", fin: false) + Frame.more("b", fin: false) + Frame.more("c"), ["abc"]),
        ("a control frame between fragments", Frame.text("a", fin: false) + Frame.make(0x89, [1]) + Frame.more("b"), ["ab"]),
        ("a scalar cut by a fragment", Frame.make(0x01, [0xF0, 0x9F]) + Frame.more([0x98], fin: false) + Frame.more([0x80]), ["😀"]),
        ("empty fragments", Frame.text("", fin: false) + Frame.more("", fin: false) + Frame.more(""), [""]),
        ("no bytes", Frame.text(""), [""]),
        ("64 bytes", Frame.text(String(repeating: "x", count: 64)), [String(repeating: "x", count: 64)]),
        ("binary", Frame.make(0x82, [0, 255]) + Frame.text("1"), ["skipped a binary message", "1"]),
        ("binary in fragments", Frame.make(0x02, [255]) + Frame.more([254]) + Frame.text("1"), ["skipped a binary message", "1"]),
        ("a pong that was not asked for", Frame.make(0x8A, [1]) + Frame.text("1"), ["1"]),
    ])
    func `LV-34 messages are whole texts`(name: String, frames: [UInt8], messages: [String]) async throws {
        let (ending, heard, sent) = try await hear(frames)

        #expect(heard == ["begin"] + messages)
        #expect(ending.kind == .lost)
        #expect(sent.allSatisfy { $0.isMasked })
        #expect(sent.last?.code == 1_000)
    }

    @Test(arguments: [
        ("a masked frame", [0x81, 0x81, 1, 2, 3, 4, 5], 1_002, "it masks its frames"),
        ("the first reserved bit", Frame.make(0xC1, [1]), 1_002, "a reserved bit is set"),
        ("the last reserved bit", Frame.make(0x91, [1]), 1_002, "a reserved bit is set"),
        ("opcode 3", Frame.make(0x83, [1]), 1_002, "opcode 3"),
        ("opcode 11", Frame.make(0x8B, [1]), 1_002, "opcode 11"),
        ("a continuation of nothing", Frame.more("a"), 1_002, "has not begun"),
        ("a message in a message", Frame.text("a", fin: false) + Frame.text("b"), 1_002, "begins inside"),
        ("a fragmented ping", Frame.make(0x09, [1]), 1_002, "control frame"),
        ("a ping of 126 bytes", Frame.make(0x89, [UInt8](repeating: 0, count: 126)), 1_002, "control frame"),
        ("a frame of 2^63 bytes", [0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], 1_009, "longer than max_message (64)"),
        ("a frame of 2^63-1 bytes", [0x81, 127, 0x7F, 255, 255, 255, 255, 255, 255, 255], 1_009, "longer than max_message (64)"),
        ("65 bytes", Frame.text(String(repeating: "x", count: 65)), 1_009, "longer than max_message (64)"),
        (
            "65 bytes in fragments",
            Frame.text(String(repeating: "x", count: 40), fin: false)
                + Frame.more(String(repeating: "x", count: 25), fin: false), 1_009, "longer than max_message (64)"
        ),
        ("text that is not UTF-8", Frame.make(0x81, [0xFF]), 1_007, "not UTF-8"),
        ("a fragment that is not UTF-8", Frame.make(0x01, [0x61, 0xED, 0xA0]), 1_007, "not UTF-8"),
        ("half a scalar at the end", Frame.make(0x81, [0xF0, 0x9F]), 1_007, "not UTF-8"),
        ("half a close code", Frame.make(0x88, [3]), 1_002, "half a code"),
        ("the close code 1005", Frame.close(1_005), 1_002, "the code 1005"),
        ("the close code 999", Frame.close(999), 1_002, "the code 999"),
        ("the close code 2999", Frame.close(2_999), 1_002, "the code 2999"),
        ("words of a close that are not UTF-8", Frame.make(0x88, [3, 232, 0xFF]), 1_007, "not UTF-8"),
    ])
    func `LV-33 a server that breaks the protocol is left with a code`(
        name: String, frames: [UInt8], code: Int, words: String
    ) async throws {
        let (ending, heard, sent) = try await hear(frames, alone: true)

        #expect(ending.kind == .faulty)
        #expect(ending.reason.contains(words), "\(ending.reason)")
        #expect(heard == ["begin"])
        #expect(sent.last?.code == code)
        #expect(sent.last?.isMasked == true)
    }

    @Test(arguments: [
        (1_000, LiveEnding.Kind.lost), (1_001, .lost), (1_011, .lost), (1_012, .lost), (1_013, .lost), (1_014, .lost), (3_000, .lost),
        (1_008, .refused), (4_000, .refused), (4_999, .refused),
        (1_002, .faulty), (1_003, .faulty), (1_007, .faulty), (1_009, .faulty), (1_010, .faulty),
    ])
    func `LV-32 the code of a close says what follows`(code: Int, kind: LiveEnding.Kind) async throws {
        let (ending, _, sent) = try await hear(Frame.close(code, "bye"), alone: true)

        #expect(ending.kind == kind)
        #expect(ending.reason.hasPrefix("closed by the server with \(code) ("))
        #expect(ending.reason.hasSuffix("bye)"))
        #expect(ending.pause == (code == 1_012 ? .seconds(5)...(.seconds(30)) : nil))
        #expect(sent.last?.code == code)
    }

    @Test func `a close without a code, and an end without a close, are losses`() async throws {
        let (ending, _, _) = try await hear(Frame.close(nil), alone: true)
        #expect(ending.kind == .lost)
        #expect(ending.reason == "closed by the server without a status")

        try await RawServer.run([.accept(Frame.text("1")), .close]) { server async throws in
            let heard = Heard()
            let error = await #expect(throws: SourceError.self) { try await server.source().ending(heard) }
            #expect(error?.reason == "the connection was closed by \(server.authority)")
            #expect(error?.kind == .failure)
            #expect(heard.words == ["begin", "1"])
        }
    }

    @Test func `a ping is answered with its bytes, and counts as a sign of life`() async throws {
        let heard = Heard()
        try await RawServer.run([.accept(Frame.make(0x89, [1, 2, 3]) + Frame.close(1_000))]) { server async throws in
            _ = try await server.source().ending(heard)
            let pong = await server.frame()
            #expect(pong?.opcode == 10)
            #expect(pong?.bytes == [1, 2, 3])
            #expect(pong?.isMasked == true)
        }
        #expect(heard.all == ["begin", "alive"])
    }

    @Test func `frames cut at every byte give the same messages`() async throws {
        let frames = Frame.text("ä", fin: false) + Frame.make(0x89, []) + Frame.more("ö") + Frame.text("2") + Frame.close(1_000)
        for cut in 0...frames.count {
            let heard = Heard()
            let steps: [RawServer.Step] = [.accept(Array(frames[..<cut])), .bytes(Array(frames[cut...]))]
            try await RawServer.run(steps) { server async throws in
                #expect(try await server.source().ending(heard).kind == .lost)
            }
            #expect(heard.words == ["begin", "äö", "2"])
        }
    }
}
