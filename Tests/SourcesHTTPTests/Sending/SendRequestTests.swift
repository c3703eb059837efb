import Pipeline
import PipelineConfig
import PipelineSending
import Testing

@testable import SourcesHTTP

/// The request that makes a send.
@Suite(.timeLimit(.minutes(15)))
struct SendRequestTests {
    private static func request(
        _ send: OutgoingSend = .of(), path: String = "/friends", _ change: (inout HTTPSettings) -> Void = { _ in }
    ) async throws -> RecordedRequest {
        var recorded: RecordedRequest?
        try await withSender({ _ in Answer.text("") }, path: path, change) { server, source async throws in
            #expect(await source.sent(send).word == "accepted")
            #expect(server.requests.count == 1)
            recorded = server.requests.first
        }
        return try #require(recorded)
    }

    @Test(arguments: [RequestMethod.post, .put, .patch, .delete])
    func `a send is one request of the source's method, with few fields`(method: RequestMethod) async throws {
        let request = try await Self.request { $0.method = method }

        #expect(request.line == "\(method.rawValue) /friends HTTP/1.1")
        #expect(request.body == "[1]")
        let names = request.lines.dropFirst().compactMap { $0.split(separator: ":").first?.lowercased() }.sorted()
        #expect(names == ["accept", "accept-encoding", "content-length", "content-type", "host", "user-agent"])
    }

    @Test(arguments: [
        (PayloadFormat.json, "application/json"), (.text, "text/plain; charset=utf-8"), (.bytes, "application/octet-stream"),
    ])
    func `the payload is the body, and its format says the type`(format: PayloadFormat, type: String) async throws {
        let request = try await Self.request(.of("\"é\"\r\n", format: format))

        #expect(request.body == "\"é\"\r\n")
        #expect(request["Content-Type"] == type)
    }

    @Test(arguments: PayloadFormat.allCases) func `an empty payload is no body, and has no type`(format: PayloadFormat) async throws {
        let request = try await Self.request(.of("", format: format)) { $0.headers = FieldMap([("Content-Type", "application/json")]) }

        #expect(request.body == "")
        #expect(request["Content-Type"] == nil)
        #expect(["0", nil].contains(request["Content-Length"]))
    }

    @Test func `a configured Content-Type wins`() async throws {
        let request = try await Self.request {
            $0.headers = FieldMap([("content-type", "application/merge-patch+json")])
        }

        #expect(request["Content-Type"] == "application/merge-patch+json")
        #expect(request.lines.filter { $0.lowercased().hasPrefix("content-type:") }.count == 1)
    }

    @Test func `a body of the source is sent in place of the payload, and a value stays in its place there`() async throws {
        let request = try await Self.request(.of("[2]", user: "a\"},{\"b\r\n", format: .text)) { $0.body = "{\"user\": \"{user}\"}" }

        #expect(request.body == "{\"user\": \"a\\\"},{\\\"b\\r\\n\"}")
        #expect(request["Content-Type"] == "application/json")
    }

    @Test func `a body of the source that is empty is none`() async throws {
        let request = try await Self.request { $0.body = "" }

        #expect(request.body == "")
        #expect(request["Content-Type"] == nil)
    }

    @Test func `URL, headers and query have the arguments of the send`() async throws {
        let request = try await Self.request(.of(user: "a/b&c\r\n"), path: "/users/{user}/friends") {
            $0.query = FieldMap([("of", "{user}")])
        }

        #expect(request.target == "/users/a%2Fb%26c%0D%0A/friends?of=a%2Fb%26c%0D%0A")
        #expect(try await Self.request { $0.headers = FieldMap([("X-User", "<{user}>")]) }["X-User"] == "<me>")
    }

    @Test(arguments: [
        (IDHeader(), "a-1", "Idempotency-Key: a-1"), (IDHeader("X-Request-Id"), "a-1", "X-Request-Id: a-1"),
        (IDHeader(quoted: true), "a-1", "Idempotency-Key: \"a-1\""), (IDHeader(quoted: true), #"a"b\c"#, #"Idempotency-Key: "a\"b\\c""#),
        (IDHeader(), #"a"b\c"#, #"Idempotency-Key: a"b\c"#), (IDHeader("idempotency-key"), "a-1", "idempotency-key: a-1"),
    ])
    func `the id goes out in its field, in place of a configured one`(header: IDHeader, id: String, line: String) async throws {
        let request = try await Self.request(.of(id: id, in: header)) { $0.headers = FieldMap([("Idempotency-Key", "configured")]) }

        #expect(request.lines.contains(line))
        let name = header.name.lowercased() + ":"
        #expect(request.lines.filter { $0.lowercased().hasPrefix(name) }.count == 1)
    }

    @Test func `without a field the id does not go out`() async throws {
        #expect(try await Self.request(.of(id: "a-1")).head.contains("a-1") == false)
    }

    @Test(arguments: ["\"7\"", "W/\"7\"", "*"]) func `the condition goes out as If-Match`(tag: String) async throws {
        let request = try await Self.request(.of(condition: tag)) { $0.headers = FieldMap([("if-match", "\"0\"")]) }

        #expect(request["If-Match"] == tag)
        #expect(request.lines.filter { $0.lowercased().hasPrefix("if-match:") }.count == 1)
        #expect(try await Self.request()["If-Match"] == nil)
    }

    private static let split = "a\r\nX-Admin: 1"

    @Test(arguments: [
        OutgoingSend.of(id: split, in: IDHeader()), .of(id: split, in: IDHeader(quoted: true)), .of(id: "a\0", in: IDHeader()),
        .of(id: "é", in: IDHeader()), .of(id: "", in: IDHeader()), .of(in: IDHeader(split)), .of(in: IDHeader("a b")),
        .of(condition: "\"\(split)\""), .of(condition: ""), .of(condition: "\"\""), .of(user: split),
    ])
    func `what cannot stand in a field is not sent, and the request not without it`(send: OutgoingSend) async throws {
        try await withSender({ _ in Answer.text("") }) {
            $0.headers = FieldMap([("X-User", "{user}")])
        } _: { server, source async throws in
            let sent = await source.sent(send)

            #expect(sent.word == "not sent")
            #expect(sent.failure?.reason.hasPrefix("not sent: ") == true)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: [RequestMethod.get, .query]) func `a method that changes nothing takes no sends`(method: RequestMethod) async throws {
        try await withSender({ _ in Answer.text("") }) {
            $0.method = method
        } _: { server, source async throws in
            #expect(!source.settings.takesSends)
            #expect(await source.sent().word == "not sent")
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: [
        (RequestMethod.post, Bool?.none, SendRepetition.never), (.post, true, .byID), (.post, false, .never), (.patch, nil, .never),
        (.patch, true, .byID), (.patch, false, .never), (.put, nil, .always), (.put, true, .always), (.put, false, .never),
        (.delete, nil, .always), (.delete, true, .always), (.delete, false, .never),
    ])
    func `the method and idempotent say whether a write may be repeated`(
        method: RequestMethod, idempotent: Bool?, repetition: SendRepetition
    ) async throws {
        try await withSource("http://127.0.0.1/") {
            $0.method = method
            $0.isIdempotent = idempotent
        } _: { source async throws in
            #expect(source.settings.takesSends)
            #expect(source.repetition == repetition)
        }
    }
}
