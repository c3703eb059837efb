import Foundation
import NIOCore
import NIOPosix
import Pipeline
import PipelineConfig
import PipelineNetwork
import PipelineSockets
import PipelineYAML
import TestSupport
import Testing

@testable import SourcesHTTP

/// Requests through a proxy.
@Suite(.timeLimit(.minutes(15)))
struct HTTPProxyTests {
    private static func proxy(_ url: String, credentials: String? = nil, except exceptions: String? = nil) throws -> ProxyAddress {
        ProxyAddress(try HTTPURL(url), credentials: credentials, except: exceptions)
    }

    @Test func `a proxy gets the whole URL of a plain request, and its credentials`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("by proxy") }) { proxy async throws in
            try await withSource("http://api.example.invalid/friends?page=2") {
                $0.proxy = try? Self.proxy(proxy.url, credentials: "me:se%20cret")
            } _: { source async throws in
                #expect(try await source.text() == "by proxy")
                let request = try #require(proxy.requests.last)
                #expect(request.line == "GET http://api.example.invalid/friends?page=2 HTTP/1.1")
                #expect(request["Host"] == "api.example.invalid")
                #expect(request["Proxy-Authorization"] == "Basic bWU6c2UgY3JldA==")
            }
        }
    }

    @Test func `each origin behind a proxy has as many requests under way as its own limit allows`() async throws {
        try await ScriptedServer.run({ _ in [] }) { proxy async throws in
            try await withSource("http://{host}.invalid/friends") {
                $0.proxy = try? Self.proxy(proxy.url)
                $0.limits.concurrency = .fixed(90)
            } _: { source async throws in
                let reads = (0..<270).map { number in
                    let key = Key(pipeline: "friends", parameters: ["host": "h\(number % 3)"])
                    return Task { try await source.read(key) }
                }
                while proxy.requests.count < reads.count { try await turn() }

                #expect(proxy.connections == 270)
                for read in reads { read.cancel() }
                for read in reads { _ = await read.result }
            }
        }
    }

    @Test func `for TLS it opens a tunnel, and says in words when it does not`() async throws {
        for (answer, words) in [
            ("HTTP/1.1 403 Forbidden\r\n\r\n", "opens no connection to api.example.invalid:443"),
            ("HTTP/1.1 407 Who\r\n\r\n", "wants a user and a password, or others"),
        ] {
            try await ScriptedServer.run({ _ in [.text(answer)] }) { proxy async throws in
                try await withSource("https://api.example.invalid/friends") {
                    $0.proxy = try? Self.proxy(proxy.url, credentials: "me:secret")
                } _: { source async throws in
                    #expect(await source.failure() == "proxy: \(proxy.authority) \(words)")
                    #expect(proxy.requests.last?.line == "CONNECT api.example.invalid:443 HTTP/1.1")
                    #expect(proxy.requests.last?["Proxy-Authorization"] == "Basic bWU6c2VjcmV0")
                }
            }
        }
    }

    @Test func `a proxy that is not there is named`() async throws {
        let port = LoopbackPort.closed()
        for url in ["http://api.example.invalid/", "https://api.example.invalid/"] {
            try await withSource(url) {
                $0.proxy = try? Self.proxy("http://127.0.0.1:\(port)")
            } _: { source async throws in
                #expect(await source.failure() == "proxy: connection refused by 127.0.0.1:\(port)")
            }
        }
    }

    @Test(arguments: [
        ("example.org", "http://example.org/", false), ("example.org", "http://api.example.org/", false),
        (".example.org", "http://api.example.org/", false), ("*.example.org", "https://api.example.org/", false),
        ("example.org", "http://notexample.org/", true), ("*", "http://anything.at.all/", false), ("", "http://example.org/", true),
        (" a.b, EXAMPLE.org ,c", "http://Example.ORG/", false), ("127.0.0.1", "http://127.0.0.1:8080/", false),
        ("127.0.0.1:81", "http://127.0.0.1:8080/", true), ("127.0.0.1:8080", "http://127.0.0.1:8080/", false),
        ("[::1]", "http://[::1]/", false), ("::1", "http://[::1]/", false), (",,", "http://example.org/", true),
        // Networks.
        ("10.0.0.0/8", "http://10.1.2.3/", false), ("10.0.0.0/8", "http://11.1.2.3/", true), ("10.9.9.9/8", "http://10.1.2.3/", false),
        ("192.168.4.0/22", "http://192.168.7.255/", false), ("192.168.4.0/22", "http://192.168.8.0/", true),
        ("10.0.0.1/32", "http://10.0.0.1/", false),
        ("10.0.0.1/32", "http://10.0.0.2/", true), ("0.0.0.0/0", "http://8.8.8.8/", false), ("0.0.0.0/0", "http://example.org/", true),
        ("0.0.0.0/0", "http://[::1]/", true), ("fd00::/8", "http://[fdab::1]/", false), ("fd00::/8", "http://[fe80::1]/", true),
        ("[fd00::]/8", "http://[fdab::1]/", false), ("::/0", "http://[fdab::1]/", false),
        ("2001:db8::/33", "http://[2001:db8:7fff::1]/", false),
        ("2001:db8::/33", "http://[2001:db8:8000::1]/", true), ("10.0.0.0/33", "http://10.0.0.0/", true),
        ("10.0.0.0/", "http://10.0.0.0/", true),
        ("10.0.0.0/-1", "http://10.0.0.0/", true), ("10.0.0.0/x", "http://10.0.0.0/", true), ("example.org/8", "http://example.org/", true),
        ("172.16/12", "http://172.16.0.9/", true), ("10.0.0.0/8,example.org", "http://example.org:81/", false),
        // Other spellings of an address.
        ("127.0.0.1", "http://127.1/", false), ("127.0.0.1", "http://0x7f.0.0.1/", false), ("127.0.0.1", "http://2130706433/", false),
        ("127.0.0.1", "http://0177.0.0.01/", false), ("127.1", "http://127.0.0.1/", false), ("10.0.0.0/8", "http://0xa010203/", false),
        ("::1", "http://[0:0:0:0:0:0:0:1]/", false), ("0:0::1", "http://[::1]/", false), ("[0:0:0:0:0:0:0:1]", "http://[::1]/", false),
        ("::FFFF:10.0.0.1", "http://10.0.0.1/", false), ("10.0.0.1", "http://[::ffff:10.0.0.1]/", false),
        ("10.0.0.0/8", "http://[::ffff:a00:1]/", false),
        ("2001:DB8::1", "http://[2001:db8:0::1]/", false), ("[::1]:8080", "http://[::1]:8080/", false),
        ("[::1]:8080", "http://[::1]:81/", true),
        ("0.1", "http://10.0.0.1/", true), ("1", "http://10.0.0.1/", true), ("127.0.0.1", "http://127.0.0.256/", true),
        // Names.
        ("example.org.", "http://example.org/", false), ("example.org", "http://api.example.org./", false),
        ("example.org:81", "http://api.example.org:81/", false),
        ("example.org:81", "http://example.org/", true), ("example.org:80", "http://example.org/", false),
        ("org", "http://example.org/", false), (".", "http://example.org/", true),
    ])
    func `NO_PROXY names the hosts that are asked directly`(exceptions: String, url: String, isServed: Bool) throws {
        let proxy = try Self.proxy("http://127.0.0.1:3128", except: exceptions)
        #expect(proxy.serves(try HTTPURL(url)) == isServed)
    }

    @Test func `the field takes a URL or nothing, and NO_PROXY from the environment`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("[\"direct\"]") }) { server async throws in
            let text = """
                sources:
                  api: { type: http, url: "\(server.url)/", proxy: "${PROXY:-}" }
                pipelines:
                  friends: { tiers: [api] }
                """
            for variables in [[:], ["PROXY": "http://127.0.0.1:1", "NO_PROXY": "127.0.0.1"]] {
                let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml")
                    .report(plugins: [.http], environment: ConfigEnvironment(variables))
                let pipelines = try Pipelines(report)
                #expect(try await pipelines.pipeline(named: "friends").fetch().text == "[\"direct\"]")
                await pipelines.shutDown()
            }
        }
    }

    @Test(.enabled(if: PeerServer.tinyproxy.isThere, "\(PeerServer.advice)"))
    func `through tinyproxy, with and without TLS`() async throws {
        try await PeerServer.tinyproxy(in: TemporaryFolder()) { try await Self.ask(through: $0, calledIn: "tinyproxy") }
    }

    @Test(.enabled(if: PeerServer.squid.isThere, "\(PeerServer.advice)"))
    func `through Squid, with and without TLS`() async throws {
        try await PeerServer.squid(in: TemporaryFolder()) { try await Self.ask(through: $0, calledIn: "squid") }
    }

    /// Asks a server through a proxy that calls itself `name` in `Via`, in the clear and with TLS.
    private static func ask(through url: String, calledIn name: String) async throws {
        let certificate = try SelfSigned()
        let folder = try TemporaryFolder()
        try folder.put(certificate.pem, into: "ca.pem")
        for certificate in [nil, certificate] {
            try await ScriptedServer.run({ Answer.text($0.line) }, as: certificate) { server async throws in
                try await withSource("\(server.url)/friends") {
                    $0.proxy = try? Self.proxy(url)
                    $0.trusted = certificate == nil ? nil : CertificateFile(folder.path + "/ca.pem")
                } _: { source async throws in
                    #expect(try await source.text() == "GET /friends HTTP/1.1")
                    #expect(server.requests.first?["Via"]?.contains(name) == (certificate == nil ? true : nil))
                }
            }
        }
    }
}
