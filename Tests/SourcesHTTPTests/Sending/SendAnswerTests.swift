import Pipeline
import PipelineConfig
import PipelineNetwork
import PipelineSending
import PipelineTesting
import Testing

@testable import SourcesHTTP

/// What an answer says of a send.
@Suite(.timeLimit(.minutes(15)))
struct SendAnswerTests {
    private static func sent(
        _ steps: [ScriptedServer.Step], clock: PipelineClock = ManualClock().clock, _ change: (inout HTTPSettings) -> Void = { _ in }
    ) async throws -> Sent {
        var sent = Sent()
        try await withSender({ _ in steps }, clock: clock, change) { server, source async throws in
            sent = await source.sent()
            #expect(server.requests.count == 1)
        }
        return sent
    }

    @Test(arguments: [200, 201, 202, 203, 204, 205, 206, 299]) func `2xx is accepted`(status: Int) async throws {
        let sent = try await Self.sent(Answer.text("", status: status))

        #expect(sent.answer == SendAnswer(status: status))
        #expect(sent.word == "accepted")
    }

    @Test(arguments: [300, 304, 305, 400, 401, 403, 404, 407, 408, 409, 410, 412, 413, 422, 425, 428, 429, 500, 501, 502, 503, 505, 511])
    func `any other status is an answer, too`(status: Int) async throws {
        #expect(try await Self.sent(Answer.text("", status: status)).answer == SendAnswer(status: status, isAccepted: false))
    }

    @Test(arguments: [404, 410]) func `what is not there needs no DELETE`(status: Int) async throws {
        for (method, word) in [(RequestMethod.delete, "accepted"), (.put, "answered \(status)"), (.patch, "answered \(status)")] {
            #expect(try await Self.sent(Answer.text("{}", status: status)) { $0.method = method }.word == word)
        }
    }

    @Test(arguments: [(409, "accepted"), (201, "accepted"), (404, "accepted"), (302, "accepted"), (410, "answered 410")])
    func `what accept_status lists is accepted besides 2xx`(status: Int, word: String) async throws {
        let sent = try await Self.sent(Answer.text("", status: status, headers: ["Location: http://other.invalid/"])) {
            $0.accepted = AcceptedStatuses([409, 404, 302].map { StatusPattern($0...$0) })
        }

        #expect(sent.word == word)
    }

    @Test func `an accepted answer has its body, its tag and its place`() async throws {
        let sent = try await Self.sent(Answer.text("{\"id\":7}", status: 201, headers: ["ETag: \"2\"", "Location: ../friends/7"]))

        #expect(sent.answer == SendAnswer(status: 201, body: Array("{\"id\":7}".utf8), etag: "\"2\"", location: "../friends/7"))
    }

    @Test(arguments: ["", "\"\""]) func `what is no tag is none`(tag: String) async throws {
        #expect(try await Self.sent(Answer.text("", headers: ["ETag: \(tag)"])).answer?.etag == nil)
    }

    @Test func `a compressed body is expanded`() async throws {
        #expect(try await Self.sent(Answer.bytes(Answer.gzip, headers: ["Content-Encoding: gzip"])).body == "{\"friends\":[1,2,3]}")
    }

    @Test(arguments: [
        ("7", 7), ("7200", 3_600), ("Thu, 01 Jan 2026 00:00:09 GMT", 9), ("Thu, 01 Jan 1970 00:00:00 GMT", nil), ("soon", nil),
    ])
    func `Retry-After is a moment of the clock, at most an hour away`(text: String, seconds: Int?) async throws {
        // Midnight of the first of January 2026.
        let time = ManualClock()
        let begin = time.now
        for status in [202, 429, 503] {
            let sent = try await Self.sent(Answer.text("", status: status, headers: ["Retry-After: \(text)"]), clock: time.clock)

            #expect(sent.answer?.status == status)
            #expect(sent.answer?.notBefore == seconds.map { begin + .seconds($0) })
        }
    }

    /// Accepted answers whose bodies do not come as they should.
    private static let broken: [[ScriptedServer.Step]] = [
        [.text(Answer.head(status: 201, headers: ["Content-Length: 10"])), .text("half"), .close],
        [.text(Answer.head(status: 201, headers: ["Content-Length: 10"])), .text("half"), .reset],
        [.text(Answer.head(status: 201, headers: ["Transfer-Encoding: chunked"])), .text("A\r\nhalf"), .close],
        [.text(Answer.head(status: 201, headers: ["A b: c"])), .close],
        Answer.text("this body is too large", status: 201),
        Answer.text("no gzip", status: 201, headers: ["Content-Encoding: gzip"]),
        Answer.text("[1]", status: 201, headers: ["Content-Encoding: br"]),
    ]

    @Test(arguments: broken) func `a broken answer to an accepted send is none`(steps: [ScriptedServer.Step]) async throws {
        #expect(try await Self.sent(steps) { $0.maxSize = Size(bytes: 15) }.word == "perhaps sent")
    }

    @Test(
        arguments: [
            (Answer.text("it has changed meanwhile", status: 409), "it has changed meanwhile"),
            ([.text(Answer.head(status: 409, headers: ["Content-Length: 99"])), .close], ""),
            (Answer.text("no gzip", status: 409, headers: ["Content-Encoding: gzip"]), ""),
            (Answer.text("[1]", status: 409, headers: ["Content-Encoding: br"]), ""),
            (Answer.bytes(Answer.gzip, status: 409, headers: ["Content-Encoding: gzip"]), "{\"friends\":[1,2,3]}"),
        ] as [([ScriptedServer.Step], String)])
    func `a broken body of another answer does not hide its status`(steps: [ScriptedServer.Step], body: String) async throws {
        let sent = try await Self.sent(steps) { $0.maxSize = Size(bytes: 3) }

        #expect(sent.word == "answered 409")
        #expect(sent.body == body)
    }

    @Test(arguments: [("it has changed mean", "it has changed"), ("{\"half\"", "{\"half\"")])
    func `of a body of another answer that is cut short it has what came, but no half of a word`(text: String, body: String) async throws {
        for end in HTTPSourceReuseTests.End.allCases {
            let sent = try await Self.sent([.text(Answer.head(status: 409, headers: ["Content-Length: 99"]) + text), end.step])

            #expect(sent.word == "answered 409")
            // The end of the connection may overtake the body.
            #expect([body, ""].contains(sent.body))
        }
    }

    @Test func `of a long body of another answer only the beginning is read`() async throws {
        let words = (0..<100_000).map { "word\($0)" }.joined(separator: " ")

        let body = try #require(try await Self.sent(Answer.text(words, status: 500)).body)

        #expect(body.utf8.count <= 64 << 10 && body.utf8.count > 60 << 10)
        #expect(words.hasPrefix(body + " "))
    }

    @Test func `a body of another answer that does not come holds up nothing for long`() async throws {
        let time = ManualClock()
        let steps: [ScriptedServer.Step] = [.text(Answer.head(status: 409, headers: ["Content-Length: 99"])), .text("so far ")]
        try await withSender({ _ in steps }, clock: time.clock) {
            // However often the time is moved.
            $0.timeout = .seconds(1_000_000_000)
        } _: { server, source async throws in
            let hasEnded = Switch()
            let sending = Task {
                defer { hasEnded.turnOn() }
                return await source.sent()
            }
            while snapshot(of: server).map({ $0.begun == 1 && $0.underWay == 0 }) != true { try await turn() }
            while !hasEnded.isOn {
                time.advance(by: .milliseconds(250))
                try await turn()
            }

            #expect(await sending.value.word == "answered 409")
        }
    }

    @Test func `a credential of the request is masked in the body of another answer`() async throws {
        let sent = try await Self.sent(Answer.text("no user has s3, or s33", status: 401)) {
            $0.headers = FieldMap([("Authorization", "Bearer s3")])
        }

        #expect(sent.body == "no user has ***, or s33")
    }
}
