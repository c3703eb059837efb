import Foundation
import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesHTTP
import Testing

/// Kept connections that the server closes.
@Suite(.timeLimit(.minutes(15)))
struct HTTPSourceReuseTests {
    /// How a server ends a connection without a byte of an answer.
    enum End: CaseIterable, Sendable {
        case close, reset

        var step: ScriptedServer.Step {
            switch self {
            case .close: .close
            case .reset: .reset
            }
        }
    }

    /// Answers the first request of each connection, and ends the connection when the second comes.
    private static func onceEach(_ end: End) -> ScriptedServer.Script {
        { $0.number == 1 ? Answer.text("1") : [end.step] }
    }

    @Test(arguments: End.allCases)
    func `a request that is lost on a reused connection is asked again at once on a new one`(end: End) async throws {
        try await ScriptedServer.run(Self.onceEach(end)) { server async throws in
            try await withKeptConnections(server.url) { source async throws in
                for _ in 0..<6 { #expect(try await source.text() == "1") }

                // The second read is lost and asked again on a connection of its own, and so is the fourth that is kept.
                #expect(server.requests.filter { $0.number == 1 }.count == 6)
                #expect(server.requests.count == server.connections + server.requests.filter { $0.number == 2 }.count)
            }
        }
    }

    @Test func `with TLS, too`() async throws {
        let certificate = try SelfSigned()
        let file = FileManager.default.temporaryDirectory.appending(path: "reuse-\(UUID().uuidString).pem")
        try Data(certificate.pem.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await ScriptedServer.run(Self.onceEach(.close), as: certificate) { server async throws in
            try await withKeptConnections(server.url) {
                $0.trusted = CertificateFile(file.path)
            } _: { source async throws in
                for _ in 0..<4 { #expect(try await source.text() == "1") }
            }
        }
    }

    @Test(arguments: [RequestMethod.put, .delete, .query], End.allCases)
    func `a request with a body that may be repeated is sent whole again`(method: RequestMethod, end: End) async throws {
        try await ScriptedServer.run(Self.onceEach(end)) { server async throws in
            try await withKeptConnections(server.url) {
                $0.method = method
                $0.body = "{\"user\":\"{user}\"}"
            } _: { source async throws in
                for _ in 0..<4 { #expect(try await source.text(.user("me")) == "1") }

                #expect(server.requests.allSatisfy { $0.body == "{\"user\":\"me\"}" && $0.method == method.rawValue })
            }
        }
    }

    @Test(arguments: [RequestMethod.post, .patch], End.allCases)
    func `a request that may not be repeated is sent once`(method: RequestMethod, end: End) async throws {
        try await ScriptedServer.run(Self.onceEach(end)) { server async throws in
            try await withKeptConnections(server.url) {
                $0.method = method
                $0.body = "[1]"
            } _: { source async throws in
                #expect(try await source.text() == "1")
                #expect(await source.failure() == "the connection was closed before the answer was whole")
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test(arguments: End.allCases)
    func `a request that is lost on a new connection is an error at once`(end: End) async throws {
        try await ScriptedServer.run({ _ in [end.step] }) { server async throws in
            try await withKeptConnections(server.url) { source async throws in
                #expect(await source.failure() == "the connection was closed before the answer was whole")
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `a request that is lost on the new connection, too, is asked no third time`() async throws {
        let script: ScriptedServer.Script = { $0.target == "/first" ? Answer.text("1") : [.close] }
        try await ScriptedServer.run(script) { server async throws in
            try await withKeptConnections("\(server.url)/{user}") { source async throws in
                #expect(try await source.text(.user("first")) == "1")
                #expect(await source.failure(.user("second")) == "the connection was closed before the answer was whole")
                #expect(server.requests.map(\.target) == ["/first", "/second", "/second"])
                #expect(server.requests.map(\.number) == [1, 2, 1])
            }
        }
    }

    @Test(arguments: [
        "H", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n1",
    ])
    func `a request whose answer has begun is not asked again`(beginning: String) async throws {
        let script: ScriptedServer.Script = { $0.number == 1 ? Answer.text("1") : [.text(beginning), .close] }
        try await ScriptedServer.run(script) { server async throws in
            try await withKeptConnections(server.url) { source async throws in
                #expect(try await source.text() == "1")
                #expect(await source.failure() == "the connection was closed before the answer was whole")
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test func `a server that closes each connection as soon as it has answered fails no read`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("1") + [.close] }) { server async throws in
            try await withKeptConnections(server.url) { source async throws in
                for _ in 0..<40 { #expect(try await source.text() == "1") }
            }
        }
    }

    @Test func `100 reads at a time of a server that answers once a connection`() async throws {
        try await ScriptedServer.run(Self.onceEach(.close)) { server async throws in
            try await withKeptConnections("\(server.url)/{user}") { source async throws in
                for _ in 0..<4 {
                    let answers = try await withThrowingTaskGroup(of: String?.self) { group in
                        for number in 0..<25 { group.addTask { try await source.text(.user("\(number)")) } }
                        return try await group.reduce(into: [String?]()) { $0.append($1) }
                    }
                    #expect(answers.allSatisfy { $0 == "1" })
                }
            }
        }
    }

    @Test func `a redirect and the request of a check are repeated, too`() async throws {
        let script: ScriptedServer.Script = { request in
            guard request.number == 1 else { return [.close] }
            if request.method == "HEAD" { return [.text(Answer.head(headers: ["Content-Length: 1"]))] }
            return request.target == "/" ? Answer.redirect(302, to: "/there") : Answer.text("1")
        }
        try await ScriptedServer.run(script) { server async throws in
            try await withKeptConnections(server.url) { source async throws in
                for _ in 0..<3 {
                    #expect(try await source.text() == "1")
                    #expect(try await source.check() == .reachable)
                }
            }
        }
    }

    @Test func `it counts as no try and as no failure of the circuit`() async throws {
        try await ScriptedServer.run(Self.onceEach(.reset)) { server async throws in
            let text = """
                sources:
                  api: { type: http, url: "\(server.url)/friends" }
                pipelines:
                  friends:
                    tiers: [{ source: api, circuit_breaker: { failures: 1, open_for: 10m }, retry: { attempts: 2, base: 1ms, max: 1ms } }]
                """
            let pipelines = try Pipelines(ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.http]))
            let pipeline = try pipelines.pipeline(named: "friends")
            for _ in 0..<6 {
                let outcome = try await pipeline.fetch()
                #expect(outcome.attempts.map(\.outcome) == [.hit])
                #expect(outcome.attempts.first?.reason == nil)
            }
            #expect(server.requests.filter { $0.number == 1 }.count == 6)
            _ = await pipelines.shutDown()
        }
    }
}
