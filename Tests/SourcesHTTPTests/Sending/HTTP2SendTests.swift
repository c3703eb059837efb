import NIOHTTP2
import Pipeline
import PipelineConfig
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesHTTP

/// Sends to servers that speak HTTP/2.
@Suite(.timeLimit(.minutes(15)))
struct HTTP2SendTests {
    private func withSender(
        _ script: @escaping HTTP2Server.Script, _ change: (inout HTTPSettings) -> Void = { _ in },
        _ body: (HTTP2Server, HTTPSource) async throws -> Void
    ) async throws {
        let certificate = try SelfSigned(protocols: ["h2"])
        let folder = try TemporaryFolder()
        try folder.put(certificate.pem, into: "ca.pem")
        try await HTTP2Server.run(script, as: certificate) { server async throws in
            try await withSource(server.url + "/{user}", clock: ManualClock().clock) {
                $0.method = .post
                $0.idleLimit = .seconds(60)
                $0.trusted = CertificateFile(folder.path + "/ca.pem")
                $0.maySpeakHTTP2 = true
                change(&$0)
            } _: { source async throws in
                try await body(server, source)
            }
        }
    }

    @Test(arguments: [RequestMethod.post, .put]) func `sends share a connection`(method: RequestMethod) async throws {
        try await withSender({ _, connection, _ in HTTP2Server.Step.answer("[\(connection)]", status: "201") }) {
            $0.method = method
        } _: { server, source async throws in
            for number in 1...3 {
                let sent = await source.sent(.of(user: "\(number)"))
                #expect(sent.word == "accepted")
                #expect(sent.body == "[1]")
            }
            #expect(server.requests == ["/1", "/2", "/3"])
        }
    }

    @Test(
        arguments: [
            ([HTTP2Server.Step.reset(.refusedStream)], "not sent"), ([.goAway(.rootStream)], "not sent"),
            ([.reset(.internalError)], "perhaps sent"),
            ([.reset(.cancel)], "perhaps sent"), ([.head([(":status", "201")]), .reset(.refusedStream)], "perhaps sent"),
            ([.head([(":status", "201"), ("content-length", "9")]), .data("[1]", isLast: true)], "perhaps sent"),
            ([.head([(":status", "-5")])], "perhaps sent"),
        ] as [([HTTP2Server.Step], String)])
    func `only what the server says that it did not read was surely not sent`(steps: [HTTP2Server.Step], word: String) async throws {
        for method in [RequestMethod.post, .put] {
            try await withSender({ _, _, _ in steps }) {
                $0.method = method
            } _: { server, source async throws in
                #expect(await source.sent().word == word)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `a certificate that is not trusted gets no send`() async throws {
        try await withSender({ _, _, _ in HTTP2Server.Step.answer("[1]") }) {
            $0.trusted = nil
        } _: { server, source async throws in
            #expect(await source.sent().failure?.kind == .refused)
            #expect(server.requests.isEmpty)
        }
    }
}
