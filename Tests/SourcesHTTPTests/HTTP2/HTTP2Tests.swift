import NIOHTTP2
import Pipeline
import PipelineConfig
import PipelineNetwork
import PipelineTesting
import PipelineYAML
import SourcesMemory
import TestSupport
import Testing

@testable import SourcesHTTP

/// Servers that speak HTTP/2.
@Suite(.timeLimit(.minutes(15)))
struct HTTP2Tests {
    private let certificate: SelfSigned
    private let folder: TemporaryFolder

    init() throws {
        certificate = try SelfSigned(protocols: ["h2"])
        folder = try TemporaryFolder()
        try folder.put(certificate.pem, into: "ca.pem")
    }

    private func withHTTP2(
        _ script: @escaping HTTP2Server.Script, _ change: (inout HTTPSettings) -> Void = { _ in },
        _ body: (HTTP2Server, HTTPSource) async throws -> Void
    ) async throws {
        try await HTTP2Server.run(script, as: certificate) { server async throws in
            try await withSource(server.url + "/{user}") {
                $0.trusted = CertificateFile(folder.path + "/ca.pem")
                $0.maySpeakHTTP2 = true
                change(&$0)
            } _: { source async throws in
                try await body(server, source)
            }
        }
    }

    /// A request without an answer: the connection is not idle, and so stays open.
    private static let held = "held"
    private static let script: HTTP2Server.Script = { path, connection, _ in
        path.hasPrefix("/held") ? [] : HTTP2Server.Step.answer("[\(connection)]")
    }

    @Test func `many requests share one connection`() async throws {
        try await withHTTP2(Self.script) {
            $0.limits.concurrency = .fixed(30)
        } _: { server, source async throws in
            let held = Task { try await source.read(.user(Self.held)) }
            while server.requests.isEmpty { try await turn() }
            let tasks = (0..<20).map { user in Task { try await source.text(.user("\(user)")) } }
            for task in tasks { #expect(try await task.value == "[1]") }
            #expect(server.connections == 1)
            held.cancel()
        }
    }

    @Test func `a server that likes HTTP/1_1 better is asked in it`() async throws {
        let certificate = try SelfSigned(protocols: ["http/1.1", "h2"])
        try folder.put(certificate.pem, into: "ca.pem")
        try await ScriptedServer.run({ _ in Answer.text("[1]") }, as: certificate) { server async throws in
            try await withSource(server.url) {
                $0.trusted = CertificateFile(folder.path + "/ca.pem")
                $0.maySpeakHTTP2 = true
            } _: { source async throws in
                #expect(try await source.text() == "[1]")
            }
        }
    }

    @Test(arguments: [" ", "\t", " \t "])
    func `blanks around the value of a field are no part of it`(blank: String) async throws {
        let script: HTTP2Server.Script = { _, _, _ in
            let fields = [("etag", "\(blank)\"a\"\(blank)"), ("content-encoding", "identity\(blank)"), ("content-type", "a/b\(blank)")]
            return [.head([(":status", "200")] + fields), .data("[1]", isLast: true)]
        }
        try await withHTTP2(script) { _, source async throws in
            let entry = try await source.read(.user("1"))
            #expect(entry?.payload == Array("[1]".utf8) && entry?.etag == "\"a\"" && entry?.contentType == "a/b")
        }
    }

    @Test func `x-gzip is decoded as gzip`() async throws {
        let script: HTTP2Server.Script = { _, _, _ in
            [.head([(":status", "200"), ("content-encoding", "x-gzip")]), .data("no gzip at all", isLast: true)]
        }
        try await withHTTP2(script) { server, source async throws in
            #expect(await source.failure(.user("1")) == "the compressed body from \(server.url)/1 cannot be decoded")
        }
    }

    @Test(arguments: ["-5", "99", "099", "101", "1000", "abc", "", "+20", "9999999999999999999999"])
    func `an impossible status is an error with words, and ends nothing but its request`(status: String) async throws {
        let script: HTTP2Server.Script = { path, _, _ in HTTP2Server.Step.answer("[1]", status: path == "/bad" ? status : "200") }
        try await withHTTP2(script) { server, source async throws in
            let failure = await source.failure(.user("bad"))
            #expect(failure.hasPrefix("the answer from 127.0.0.1:"))
            #expect(failure.hasSuffix(" is not HTTP: its status is `\(status.prefix(20))`"))
            #expect(try await source.text(.user("good")) == "[1]")
        }
    }

    @Test(arguments: [RequestMethod.get, .post])
    func `NC-22 a request that was refused is sent again at once`(method: RequestMethod) async throws {
        let script: HTTP2Server.Script = { [seen = Seen()] path, _, _ in
            seen.note(path) ? [.reset(.refusedStream)] : HTTP2Server.Step.answer("[1]")
        }
        try await withHTTP2(script) {
            $0.method = method
        } _: { server, source async throws in
            let error = await #expect(throws: SourceError.self) { try await source.read(.user("1")) }
            #expect(error?.reason.hasSuffix(" did not take the request (REFUSED_STREAM)") == true)
            #expect(error?.retry.moment.word == "at once")
            #expect(try await source.text(.user("1")) == "[1]")
        }
    }

    @Test(arguments: [(RequestMethod.get, "later"), (.post, "never")])
    func `NC-22 a request that was reset may have been processed`(method: RequestMethod, word: String) async throws {
        try await withHTTP2({ _, _, _ in [.reset(.internalError)] }) {
            $0.method = method
        } _: { _, source async throws in
            let error = await #expect(throws: SourceError.self) { try await source.read(.user("1")) }
            #expect(error?.reason.hasSuffix(" (INTERNAL_ERROR)") == true)
            #expect(error?.retry.moment.word == word)
        }
    }

    @Test func `NC-23 a request above the last one of a GOAWAY was not processed, and goes to another connection`() async throws {
        let script: HTTP2Server.Script = { [seen = Seen()] path, connection, _ in
            seen.note(path) ? [.goAway(.rootStream)] : HTTP2Server.Step.answer("[\(connection)]")
        }
        try await withHTTP2(script) {
            $0.method = .post
        } _: { server, source async throws in
            let error = await #expect(throws: SourceError.self) { try await source.read(.user("1")) }
            #expect(error?.retry.moment.word == "at once")
            #expect(try await source.text(.user("1")) == "[2]")
            #expect(server.connections == 2)
        }
    }

    @Test(arguments: ["short", "reset"]) func `a body that is not whole is no answer`(user: String) async throws {
        let script: HTTP2Server.Script = { path, _, _ in
            let head = HTTP2Server.Step.head([(":status", "200"), ("content-length", "10")])
            return path == "/short" ? [head, .data("[1]", isLast: true)] : [head, .data("[1]", isLast: false), .reset(.cancel)]
        }
        try await withHTTP2(script) { _, source async throws in
            let error = await #expect(throws: SourceError.self) { try await source.read(.user(user)) }
            #expect(error?.retry.moment.word == "later")
        }
    }

    @Test func `a server that breaks the rules of the connection is asked on another one`() async throws {
        // Frames without contents and without an end: more of them than one in a row count as an attack.
        let empty = HTTP2Server.Step.data("", isLast: false)
        let script: HTTP2Server.Script = { path, connection, _ in
            path == "/empty" ? [.head([(":status", "200")]), empty, empty, empty] : HTTP2Server.Step.answer("[\(connection)]")
        }
        try await withHTTP2(script) { server, source async throws in
            let first = try await source.text(.user("1"))
            await #expect(throws: SourceError.self) { try await source.read(.user("empty")) }
            #expect(try await source.text(.user("2")) != first)
        }
    }

    @Test func `without the field a server is asked in HTTP/1_1, also when it would rather speak HTTP/2`() async throws {
        let certificate = try SelfSigned(protocols: ["h2", "http/1.1"])
        try folder.put(certificate.pem, into: "ca.pem")
        try await ScriptedServer.run({ _ in Answer.text("[1]") }, as: certificate) { server async throws in
            try await withSource(server.url) {
                $0.trusted = CertificateFile(folder.path + "/ca.pem")
            } _: { source async throws in
                #expect(try await source.text() == "[1]")
            }
        }
    }

    @Test func `a certificate that names no host refuses, and ends nothing but the connection`() async throws {
        let certificate = try SelfSigned(for: [], protocols: ["h2"])
        try folder.put(certificate.pem, into: "ca.pem")
        try await HTTP2Server.run({ _, _, _ in HTTP2Server.Step.answer("[1]") }, as: certificate) { server async throws in
            try await withSource(server.url.replacing("127.0.0.1", with: "localhost")) {
                $0.trusted = CertificateFile(folder.path + "/ca.pem")
                $0.maySpeakHTTP2 = true
            } _: { source async throws in
                for _ in 0..<3 {
                    let error = await #expect(throws: SourceError.self) { try await source.read(Key(pipeline: "friends")) }
                    #expect(error?.kind == .refused)
                    #expect(error?.reason.hasSuffix("names no host: it has no subject alternative name") == true)
                }
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test func `a request that is given up gives its permit back, and leaves the connection to the others`() async throws {
        try await withHTTP2(Self.script) {
            $0.limits.concurrency = .fixed(2)
        } _: { server, source async throws in
            let other = Task { try await source.read(.user(Self.held)) }
            while server.requests.isEmpty { try await turn() }
            let held = Task { try await source.read(.user("held, too")) }
            while server.requests.count < 2 { try await turn() }
            held.cancel()
            await #expect(throws: CancellationError.self) { try await held.value }
            #expect(try await source.text(.user("2")) == "[1]")
            #expect(server.connections == 1)
            other.cancel()
        }
    }

    @Test(.enabled(if: PeerServer.nginx.isThere, "no nginx; `scripts/setup` installs it"))
    func `nginx answers in HTTP/2, and copies are confirmed`() async throws {
        try folder.put("[1]", into: "files/friends")
        let directives = "root \(folder.path)/files; location / { expires 30s; } location /spoken { return 200 '\"$server_protocol\"'; }"
        try await PeerServer.nginx(directives, as: (certificate.pem, certificate.key), in: folder) { url async throws in
            let text = """
                sources:
                  memory: { type: memory }
                  api: { type: http, url: "\(url)/{path}", ca_file: "\(folder.path)/ca.pem", caching: headers, http2: true }
                pipelines:
                  files: { parameters: [path], tiers: [{ source: memory, ttl: none }, api] }
                """
            let time = ManualClock()
            let pipelines = try Pipelines(
                ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.memory, .http]), clock: time.clock)
            let files = try pipelines.pipeline(named: "files")
            #expect(try await files.fetch(["path": "spoken"]).payload == Array("\"HTTP/2.0\"".utf8))
            #expect(try await files.fetch(["path": "friends"]).payload == Array("[1]".utf8))
            time.advance(by: .seconds(31))
            let confirmed = try await files.fetch(["path": "friends"])
            #expect(confirmed.attempts.last?.reason == "not modified")
            await pipelines.shutDown()
        }
    }
}

extension RetryAdvice.Moment {
    fileprivate var word: String {
        switch self {
        case .never: "never"
        case .atOnce: "at once"
        case .later: "later"
        }
    }
}
