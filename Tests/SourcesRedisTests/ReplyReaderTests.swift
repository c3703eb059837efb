import NIOCore
import PipelineServer
import Testing

@testable import SourcesRedis

@Suite struct ReplyReaderTests {
    private func replies(_ text: String, limit: Int = 1_000, step: Int = .max) throws -> [Reply] {
        let reader = try #require(ReplyReader())
        var (replies, rest) = ([Reply](), Array(text.utf8)[...])
        while !rest.isEmpty {
            try reader.feed(ByteBuffer(bytes: rest.prefix(step)))
            rest = rest.dropFirst(step)
            while let reply = try reader.next(limit: limit) { replies.append(reply) }
        }
        return replies
    }

    private func problem(_ text: String, limit: Int = 1_000) -> String? {
        do {
            return "\(try replies(text, limit: limit))"
        } catch {
            return (error as? ReplyReader.Problem)?.words
        }
    }

    @Test(arguments: [1, 2, 7, .max]) func `replies are the same however they arrive`(step: Int) throws {
        let text = "+OK\r\n-ERR no\r\n:-42\r\n$-1\r\n$0\r\n\r\n$4\r\na\r\nb\r\n*-1\r\n*3\r\n:1\r\n*1\r\n$1\r\nx\r\n$-1\r\n*0\r\n"

        #expect(
            try replies(text, step: step) == [
                .status("OK"), .error("ERR no"), .integer(-42), .none, .bytes([]), .bytes(Array("a\r\nb".utf8)), .none,
                .array([.integer(1), .array([.bytes([0x78])]), .none]), .array([]),
            ])
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "$x\r\n", ":1x\r\n", "$-2\r\n", "*-2\r\n", "*99999999999999999999\r\n", "\0\0"])
    func `what is no reply is an error`(text: String) {
        #expect(problem(text).map { !$0.hasPrefix("[") } == true, "\(problem(text) ?? "no words")")
    }

    @Test func `an array that promises too much takes no memory`() {
        #expect(problem("*65537\r\n") == "it has too many elements")
        #expect(problem("*2147483647\r\n") == "it has too many elements")
    }

    @Test func `arrays within arrays have an end`() {
        #expect(problem(String(repeating: "*1\r\n", count: 1_000)) != nil)
        #expect(problem(String(repeating: "*1\r\n", count: 1_000))?.hasPrefix("[") == false)
    }

    @Test func `a reply over the limit is an error, and one below it is not`() throws {
        let value = String(repeating: "x", count: 990)

        #expect(try replies("$990\r\n\(value)\r\n+OK\r\n", step: 10).count == 2)
        #expect(problem("$2000\r\n\(value)\(value)") == "it is larger than 1000 bytes")
        #expect(problem("+" + value + value) == "it is larger than 1000 bytes")
        #expect(try replies(String(repeating: "+OK\r\n", count: 5_000), step: 3).count == 5_000)
    }
}
