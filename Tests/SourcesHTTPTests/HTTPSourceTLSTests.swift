import Foundation
import NIOSSL
import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesHTTP
import Testing

/// Certificates that are trusted, and those that are not.
@Suite(.timeLimit(.minutes(15)))
final class HTTPSourceTLSTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "tls-tests-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// A file with `text` in the folder.
    private func file(_ name: String, _ text: String) throws -> CertificateFile {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return CertificateFile(file.path)
    }

    private static let answer: ScriptedServer.Script = { request in
        request.line.hasPrefix("HEAD") ? [.text(Answer.head(headers: ["Content-Length: 3"]))] : Answer.text("[1]")
    }

    @Test(arguments: ["/friends", "/{user}"]) func `a certificate in ca_file is trusted, by checks and by reads`(path: String) async throws
    {
        let certificate = try SelfSigned()
        let trusted = try file("ca.pem", certificate.pem)
        try await ScriptedServer.run(Self.answer, as: certificate) { server async throws in
            try await withSource(server.url + path) {
                $0.trusted = trusted
            } _: { source async throws in
                #expect(try await source.check() == .reachable)
                #expect(server.requests.map(\.line) == (path == "/friends" ? ["HEAD /friends HTTP/1.1"] : []))

                #expect(try await source.text(.user("me")) == "[1]")
                #expect(try await source.text(.user("you")) == "[1]")
            }
        }
    }

    @Test(arguments: ["/friends", "/{user}"]) func `a certificate of an unknown authority refuses`(path: String) async throws {
        let stranger = try file("ca.pem", try SelfSigned().pem)
        try await ScriptedServer.run(Self.answer, as: try SelfSigned()) { server async throws in
            for trusted in [nil, stranger] {
                try await withSource(server.url + path) {
                    $0.trusted = trusted
                } _: { source async throws in
                    let error = await #expect(throws: SourceError.self) { try await source.check() }

                    #expect(error?.kind == .refused)
                    let problem = "it is out of date, or its authority is unknown (name that in `ca_file`)"
                    #expect(error?.reason == "TLS: the certificate of \(server.authority) is not trusted: \(problem)")
                    #expect(await source.failure(.user("me")) == error?.reason)
                    #expect(server.requests.isEmpty)
                }
            }
        }
    }

    @Test(arguments: ["/friends", "/{user}"]) func `a certificate of another host refuses`(path: String) async throws {
        let certificate = try SelfSigned(for: ["IP:127.0.0.2"])
        let trusted = try file("ca.pem", certificate.pem)
        try await ScriptedServer.run(Self.answer, as: certificate) { server async throws in
            try await withSource(server.url + path) {
                $0.trusted = trusted
            } _: { source async throws in
                let error = await #expect(throws: SourceError.self) { try await source.check() }

                #expect(error?.kind == .refused)
                #expect(error?.reason == "TLS: the certificate is not one of 127.0.0.1")
            }
        }
    }

    @Test(arguments: ["/friends", "/{user}"]) func `a certificate that has its host for a common name alone refuses, and gets no request`(
        path: String
    ) async throws {
        let certificate = try SelfSigned(for: [])
        let trusted = try file("ca.pem", certificate.pem)
        try await ScriptedServer.run(Self.answer, as: certificate) { server async throws in
            try await withSource("https://localhost:\(server.port)\(path)") {
                $0.trusted = trusted
                $0.headers = FieldMap([("X-Api-Key", "k3y")])
            } _: { source async throws in
                let error = await #expect(throws: SourceError.self) { try await source.check() }

                #expect(error?.kind == .refused)
                let reason = "TLS: the certificate of localhost:\(server.port) names no host: it has no subject alternative name"
                #expect(error?.reason == reason)
                #expect(await source.failure(.user("me")) == reason)
                #expect(await source.failure(.user("me")) == reason)
            }
            for (method, body) in [(RequestMethod.post, "[1]"), (.put, String(repeating: "x", count: 1_000_000))] {
                try await withSource("https://localhost:\(server.port)\(path)") {
                    $0.trusted = trusted
                    $0.method = method
                    $0.body = TextTemplate(stringLiteral: body)
                } _: { source async throws in
                    #expect(await source.failure(.user("me")).hasSuffix("it has no subject alternative name"))
                }
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a certificate that names its host is enough, whatever its common name`() async throws {
        let certificate = try SelfSigned(for: ["DNS:localhost"])
        let trusted = try file("ca.pem", certificate.pem)
        try await ScriptedServer.run(Self.answer, as: certificate) { server async throws in
            try await withSource("https://localhost:\(server.port)/friends") {
                $0.trusted = trusted
            } _: { source async throws in
                #expect(try await source.text() == "[1]")
            }
        }
    }

    @Test(arguments: ["/friends", "/{user}"]) func `TLS 1.2 is the oldest that is spoken`(path: String) async throws {
        for (version, isSpoken) in [(TLSVersion.tlsv12, true), (.tlsv11, false)] {
            let certificate = try SelfSigned(newest: version)
            let trusted = try file("ca.pem", certificate.pem)
            try await ScriptedServer.run(Self.answer, as: certificate) { server async throws in
                try await withSource(server.url + path) {
                    $0.trusted = trusted
                } _: { source async throws in
                    let words = "TLS: \(server.authority) speaks no version from 1.2 on"
                    #expect(await source.failure(.user("me")) == (isSpoken ? "no failure but [1]" : words))
                    let reachability = try? await source.check()
                    #expect(reachability == (isSpoken ? .reachable : nil))
                }
            }
        }
    }

    @Test func `a ca_file that cannot be used fails each read, until it can`() async throws {
        let certificate = try SelfSigned()
        try await ScriptedServer.run(Self.answer, as: certificate) { server async throws in
            let path = folder.appending(path: "late.pem").path
            try await withSource(server.url) {
                $0.trusted = CertificateFile(path)
            } _: { source async throws in
                #expect(await source.failure() == "cannot read the certificates of \(path): no such file or directory")
                let error = await #expect(throws: SourceError.self) { try await source.check() }
                #expect(error?.kind == .failure)
                for text in ["", "nothing\n", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
                    _ = try file("late.pem", text)
                    #expect(await source.failure().contains("there are no certificates in \(path)"))
                }

                _ = try file("late.pem", certificate.pem)

                #expect(try await source.text() == "[1]")
                #expect(server.requests.count == 1)
            }
            try await withSource(server.url) {
                $0.trusted = CertificateFile(folder.path)
            } _: { source async throws in
                #expect(await source.failure() == "cannot read the certificates of \(folder.path): it is not a file")
            }
        }
    }

    @Test func `a configuration names the file from its own folder, and P502 says that a certificate is not trusted`() async throws {
        let certificate = try SelfSigned()
        _ = try file("ca.pem", certificate.pem)
        try await ScriptedServer.run(Self.answer, as: certificate) { server async throws in
            let text = """
                sources:
                  known: { type: http, url: "\(server.url)/friends", ca_file: ca.pem }
                  unknown: { type: http, url: "\(server.url)/friends" }
                  missing: { type: http, url: "\(server.url)/friends", ca_file: none.pem }
                  empty: { type: http, url: "\(server.url)/friends", ca_file: "${NO_FILE:-}" }
                pipelines:
                  friends: { tiers: [known, unknown, missing, empty] }
                """
            let file = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml", folder: folder.path)
            let report = file.report(plugins: [.http])
            #expect(report.diagnostics.map(\.code.rawValue) == ["P402"])

            let checks = await report.checkSources()

            #expect(checks.map { $0.diagnostic?.code.rawValue } == [nil, "P502", "P502"])
            #expect(checks[1].diagnostic?.help == "name the file with the certificate of its authority: `ca_file: PATH`")
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [("certs/", "it names a folder"), ("\"a\\0b\"", "there is a NUL character in it")])
    func `a path that cannot be one is refused before anything is opened`(path: String, problem: String) {
        let text = "sources:\n  api: { type: http, url: \"https://h/\", ca_file: \(path) }\npipelines:\n  p: { tiers: [api] }\n"

        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [.http])

        #expect(report.diagnostics.map(\.message) == ["malformed path for `ca_file`: \(problem)"])
    }
}
