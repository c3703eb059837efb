import NIOHTTP1
import Pipeline
import PipelineConfig
import PipelineNetwork
import PipelineTesting
import PipelineYAML
import Testing

@testable import SourcesHTTP

/// Downloads that go on where they stopped.
@Suite(.timeLimit(.minutes(15)))
struct HTTPResumeTests {
    private static let whole = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    private static let cut = 60_000

    /// A server whose first answer breaks off, and which knows ranges.
    private static func script(_ headers: [String], rest: @escaping @Sendable (RecordedRequest) -> [ScriptedServer.Step])
        -> ScriptedServer.Script
    {
        { [seen = Seen()] request in
            guard seen.note("first") else { return rest(request) }
            let head = Answer.head(headers: headers + ["Content-Length: \(whole.count)"])
            return [.text(head), .bytes(Array(whole[..<cut])), .close]
        }
    }

    /// The rest of the body as the request asks for it.
    private static func range(_ request: RecordedRequest) -> [ScriptedServer.Step] { range(request, ["ETag: \"1\""]) }

    private static func range(_ request: RecordedRequest, _ fields: [String]) -> [ScriptedServer.Step] {
        guard let first = first(of: request) else { return Answer.bytes(whole, headers: ["ETag: \"1\"", "Accept-Ranges: bytes"]) }
        return Answer.bytes(
            Array(whole[first...]), status: 206, headers: fields + ["Content-Range: bytes \(first)-\(whole.count - 1)/\(whole.count)"])
    }

    /// Where the part begins that a request asks for; nil for the whole.
    private static func first(of request: RecordedRequest) -> Int? {
        request["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
    }

    private static func twice(_ source: HTTPSource) async throws -> Entry? {
        _ = await source.failure()
        return try await source.read(Key(pipeline: "friends"))
    }

    @Test(arguments: [
        ["ETag: \"1\"", "Accept-Ranges: bytes"],
        ["Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT", "Date: Thu, 01 Jan 2026 00:00:01 GMT", "Accept-Ranges: bytes"],
    ])
    func `NC-29 a download goes on where it broke off, with the same bytes`(headers: [String]) async throws {
        let script = Self.script(headers) { Self.range($0, headers) }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) {
                $0.resumes = true
            } _: { source async throws in
                let entry = try await Self.twice(source)
                #expect(entry?.payload == Self.whole)
                let second = try #require(server.requests.last)
                let first = Int(second["Range"]?.dropFirst("bytes=".count).dropLast() ?? "") ?? 0
                #expect(first > 0 && first <= Self.cut)
                #expect(second["If-Range"] == (headers[0].hasPrefix("ETag") ? "\"1\"" : "Thu, 01 Jan 2026 00:00:00 GMT"))
                #expect(second["Accept-Encoding"] == "identity")
                #expect(snapshot(of: server)?.underWay == 0)

                #expect(try await source.read(Key(pipeline: "friends"))?.payload == Self.whole)
                #expect(server.requests.last?["Range"] == nil)
            }
        }
    }

    @Test(arguments: ["bytes %-199999/200000", "bytes %-199999/*", "bytes 0-9/200000", "bytes 0-9/*", "BYTES 5-9/10"])
    func `a 200 that has a slice by its Content-Range is not the whole, and is asked for anew`(range: String) async throws {
        let script = Self.script(["ETag: \"1\"", "Accept-Ranges: bytes"]) { request in
            guard let asked = request["Range"], let first = Int(asked.dropFirst("bytes=".count).dropLast()) else {
                return Self.range(request)
            }
            return Answer.bytes(
                Array(Self.whole[first...]), headers: ["ETag: \"1\"", "Content-Range: \(range.replacing("%", with: "\(first)"))"])
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) {
                $0.resumes = true
            } _: { source async throws in
                #expect(try await Self.twice(source)?.payload == Self.whole)
                #expect(server.requests.count == 3 && server.requests.last?["Range"] == nil)
            }
        }
    }

    @Test(arguments: ["bytes 0-199999/200000", "bytes */200000", "items 1-2/3", "nonsense"])
    func `a 200 that has the whole is it, whatever else its Content-Range says`(range: String) async throws {
        let script = Self.script(["ETag: \"1\"", "Accept-Ranges: bytes"]) { _ in
            Answer.bytes(Self.whole, headers: ["Content-Range: \(range)"])
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) {
                $0.resumes = true
            } _: { source async throws in
                #expect(try await Self.twice(source)?.payload == Self.whole)
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test(arguments: [
        ["ETag: W/\"1\"", "Accept-Ranges: bytes"], ["Accept-Ranges: bytes"], ["ETag: \"1\""], ["ETag: \"1\"", "Accept-Ranges: none"],
        ["ETag: \"1\"", "Accept-Ranges: bytes", "Content-Encoding: gzip"],
        ["Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT", "Date: Thu, 01 Jan 2026 00:00:00 GMT", "Accept-Ranges: bytes"],
    ])
    func `NC-29 without a strong validator, ranges or plain bytes it begins again`(headers: [String]) async throws {
        try await ScriptedServer.run(Self.script(headers, rest: Self.range)) { server async throws in
            try await withSource(server.url) {
                $0.resumes = true
            } _: { source async throws in
                #expect(try await Self.twice(source)?.payload == Self.whole)
                #expect(server.requests.count == 2)
                #expect(server.requests.last?["Range"] == nil)
            }
        }
    }

    /// What a server answers that has another body now, or none that can be continued.
    private static let others: [@Sendable (Int) -> [ScriptedServer.Step]] = [
        { _ in Answer.bytes(whole, headers: ["ETag: \"2\""]) },
        { first in Answer.bytes([1, 2], status: 206, headers: ["Content-Range: bytes \(first + 1)-\(first + 2)/\(whole.count)"]) },
        { first in Answer.bytes([1, 2], status: 206, headers: ["Content-Range: bytes \(first)-\(first + 1)/\(first + 2)"]) },
        { first in
            Answer.bytes([1, 2], status: 206, headers: ["Content-Range: bytes \(first)-\(first + 1)/\(whole.count)", "ETag: \"3\""])
        },
        // Less than the rest, and the rest in another coding.
        { first in
            Answer.bytes([1, 2], status: 206, headers: ["Content-Range: bytes \(first)-\(first + 1)/\(whole.count)", "ETag: \"1\""])
        },
        { first in
            Answer.bytes(
                Array(whole[first...]), status: 206,
                headers: ["Content-Range: bytes \(first)-\(whole.count - 1)/\(whole.count)", "ETag: \"1\"", "Content-Encoding: br"])
        },
        { _ in Answer.bytes([1, 2], status: 206, headers: ["Content-Range: junk"]) },
        { _ in Answer.bytes([], status: 416) },
    ]

    @Test(arguments: others.indices) func `an answer that does not go on where the part ends is taken from the start`(other: Int)
        async throws
    {
        let rest: @Sendable (RecordedRequest) -> [ScriptedServer.Step] = { request in
            guard let range = request["Range"], let first = Int(range.dropFirst("bytes=".count).dropLast()) else {
                return Answer.bytes(Self.whole)
            }
            return Self.others[other](first)
        }
        try await ScriptedServer.run(Self.script(["ETag: \"1\"", "Accept-Ranges: bytes"], rest: rest)) { server async throws in
            try await withSource(server.url) {
                $0.resumes = true
            } _: { source async throws in
                #expect(try await Self.twice(source)?.payload == Self.whole)
                #expect(snapshot(of: server)?.underWay == 0)
            }
        }
    }

    private static let (etag, modified, earlier) = (
        "ETag: \"1\"", "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT", "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT"
    )

    /// The fields of the part that an answer does not repeat, and its own.
    private static let mixed: [(part: [String], rest: [String])] = [
        ([etag], []), ([etag], ["ETag: W/\"1\""]), ([etag], ["ETag: \"2\""]), ([etag], [etag, "ETag: \"2\""]), ([etag], [modified]),
        ([etag, modified], [modified]), ([etag, modified], [etag, earlier]), ([modified], []), ([modified], [earlier]),
        ([modified], [modified, "ETag: \"2\""]), ([modified], ["ETag: \"1\""]),
    ]

    @Test(arguments: mixed.indices) func `the rest of what may be another body is not added to a part`(index: Int) async throws {
        let date = "Date: Thu, 01 Jan 2026 00:00:01 GMT"
        let (part, rest) = Self.mixed[index]
        let script = Self.script(part + [date, "Accept-Ranges: bytes"]) { request in
            guard let first = Self.first(of: request) else { return Self.range(request) }
            let other = [UInt8](repeating: 0, count: Self.whole.count - first)
            let range = "Content-Range: bytes \(first)-\(Self.whole.count - 1)/\(Self.whole.count)"
            return Answer.bytes(other, status: 206, headers: rest + [date, range])
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) {
                $0.resumes = true
            } _: { source async throws in
                #expect(try await Self.twice(source)?.payload == Self.whole)
                #expect(server.requests.map { $0["Range"] != nil } == [false, true, false])
            }
        }
    }

    /// What servers answer that refuse a `Range`.
    private static let refusals: [(status: Int, fields: [String])] =
        [304, 400, 401, 403, 405, 412, 416, 429, 500, 501, 502, 503, 504].map { ($0, []) }
        + ["bytes 60000-199999/99999999999999999999", "bytes 60000-9223372036854775806/9223372036854775807", "bytes */200000", "bytes"]
        .map { (206, ["ETag: \"1\"", "Content-Range: \($0)"]) }
        + [(206, [etag]), (206, [etag, "Content-Type: multipart/byteranges; boundary=x"])]

    @Test(arguments: refusals.indices, [true, false])
    func `an answer that refuses a range ends the part, and the value is asked for whole, once`(index: Int, hasLength: Bool) async throws {
        let (status, fields) = Self.refusals[index]
        let script: ScriptedServer.Script = { [seen = Seen()] request in
            if Self.first(of: request) != nil { return Answer.bytes(status == 304 ? [] : [1, 2], status: status, headers: fields) }
            guard seen.note("first") else { return Self.range(request) }
            let (size, begin) = (hasLength ? "Content-Length: \(Self.whole.count)" : "Transfer-Encoding: chunked", Self.whole[..<Self.cut])
            let head = Answer.head(headers: [Self.etag, "Accept-Ranges: bytes", size])
            return [.text(head), .text(hasLength ? "" : "\(String(Self.cut, radix: 16))\r\n"), .bytes(Array(begin)), .close]
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withSource(server.url) {
                $0.resumes = true
            } _: { source async throws in
                #expect(try await Self.twice(source)?.payload == Self.whole)
                #expect(server.requests.map { $0["Range"] != nil } == [false, true, false])
                #expect(try await source.read(Key(pipeline: "friends"))?.payload == Self.whole)
                #expect(server.requests.last?["Range"] == nil && snapshot(of: server)?.underWay == 0)
            }
        }
    }

    @Test func `without resume a download begins again`() async throws {
        try await ScriptedServer.run(Self.script(["ETag: \"1\"", "Accept-Ranges: bytes"], rest: Self.range)) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(try await Self.twice(source)?.payload == Self.whole)
                #expect(server.requests.last?["Range"] == nil)
            }
        }
    }

    @Test func `the part goes with a retry, and is gone when the key is removed`() async throws {
        let rest: @Sendable (RecordedRequest) -> [ScriptedServer.Step] = { request in
            request["Range"] == nil
                ? [.text(Answer.head(headers: ["ETag: \"1\"", "Accept-Ranges: bytes", "Content-Length: 9"])), .text("1234"), .close]
                : Answer.text("56789", status: 206, headers: ["ETag: \"1\"", "Content-Range: bytes 4-8/9"])
        }
        try await ScriptedServer.run({ rest($0) }) { server async throws in
            let retried = try RetryScene(server, source: "resume: true", tier: "retry: { attempts: 2, base: 1ms, max: 1ms }")
            #expect(try await retried.pipeline.fetch(["user": "1"]).text == "123456789")
            #expect(server.requests.map { $0["Range"] } == [nil, "bytes=4-"])
            await retried.pipelines.shutDown()

            let once = try RetryScene(server, source: "resume: true", tier: "")
            #expect(try await once.pipeline.fetch(["user": "1"]).failure != nil)
            _ = try await once.pipeline.remove(["user": "1"])
            #expect(try await once.pipeline.fetch(["user": "1"]).failure != nil)
            #expect(server.requests.last?["Range"] == nil)
            #expect(try await once.pipeline.fetch(["user": "1"]).text == "123456789")
            await once.pipelines.shutDown()
        }
    }

    @Test(arguments: [false, true]) func `a part is gone with the removal of its key, before that is asked for again`(isClear: Bool)
        async throws
    {
        let parts = PartialBodies()
        let origin = HoldingOrigin(parts)
        let spec = PipelineSpec("friends", parameters: [ParameterSpec("user")], tiers: [TierSpec(SourceSpec("api", origin))])
        let pipelines = try Pipelines([spec])
        let friends = try pipelines.pipeline(named: "friends")
        for user in 1...3 { _ = try await friends.fetch(["user": "\(user)"]) }
        #expect(parts.count == 3)

        if isClear { _ = try await friends.clear() } else { _ = try await friends.remove(["user": "2"]) }

        #expect(parts.count == (isClear ? 0 : 2))
        await pipelines.shutDown()
    }

    /// An origin whose downloads all break off.
    private struct HoldingOrigin: Source {
        let parts: PartialBodies

        init(_ parts: PartialBodies) { self.parts = parts }

        func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
            parts.keep(PartialBody(bytes: [1], headers: [:], validator: "\"1\"", total: nil), of: key, context.permit)
            throw SourceError("broke off")
        }
    }

    @Test func `at most 100 parts of at most 32 MiB are kept`() {
        func part(_ count: Int) -> PartialBody {
            PartialBody(bytes: [UInt8](repeating: 1, count: count), headers: [:], validator: "\"1\"", total: nil)
        }
        let parts = PartialBodies()

        for user in 0..<101 { parts.keep(part(1), of: .user("\(user)"), nil) }
        parts.keep(part((32 << 20) + 1), of: .user("large"), nil)
        parts.keep(part(0), of: .user("empty"), nil)

        #expect(parts.count == 100)
        #expect(parts[.user("0")]?.bytes == nil)
        #expect(parts[.user("100")]?.bytes == [1])
        #expect(parts[.user("large")]?.bytes == nil)
    }
}
