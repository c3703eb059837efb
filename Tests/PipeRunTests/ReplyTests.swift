import NIOHTTP1
import Pipeline
import Testing

@testable import PipelineServer

/// An answer on its way, piece by piece.
@Suite struct ReplyTests {
    /// Which of its pieces the request is counted with, and how many there are.
    private func counted(_ answer: ServedAnswer, method: HTTPMethod = .GET) throws -> [Bool] {
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/friends", headers: ["Host": "localhost"])
        let request = try ClientRequest(head, hosts: HostRule(listeningOn: "127.0.0.1", allowing: []))
        var reply = Reply(answer, to: request, since: .distantPast)
        reply.begin(closing: false, at: .distantPast, made: .distantPast)
        var counted: [Bool] = []
        while let piece = reply.nextPiece() {
            #expect(!piece.isEmpty)
            counted.append(reply.counting() != nil)
        }
        #expect(reply.counting() == nil && reply.isCounted)
        return counted
    }

    @Test(arguments: [(0, 1), (1, 1), (32 * 1024, 1), (32 * 1024 + 1, 2), (64 * 1024, 2), (100_000, 4)])
    func `a request is counted with the last piece of its answer, and once`(bytes: Int, pieces: Int) throws {
        let body = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 >> 3) }
        let last = Array(repeating: false, count: pieces - 1) + [true]
        #expect(try counted(ServedAnswer(status: .ok, body: body)) == last)
        #expect(try counted(ServedAnswer(status: .ok, body: body), method: .HEAD) == [true])
        #expect(try counted(ServedAnswer(status: .notModified)) == [true])
        let packed = try counted(ServedAnswer(status: .ok, body: body, isCompressed: true))
        #expect(packed.last == true && packed.count { $0 } == 1)
    }
}
