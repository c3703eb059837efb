import Foundation
import Testing

extension ServingTests {
    /// What `serve` makes of requests that are odd, and what it says in each answer.
    @Suite struct ServeProtocolTests {
        private func flat() throws -> WorkFolder {
            let folder = try WorkFolder(ServeTests.formats)
            try folder.write("flat/1", "[1]")
            return folder
        }

        @Test func `heads that must not be answered are refused with why, and the connection ends`() async throws {
            let line = "GET /friends?user=1 HTTP/1.1\r\n"
            let cases: [(String, Int, String)] = [
                (line + "\r\n", 400, "no `Host`"), (line + "Host: a\r\nHost: a\r\n\r\n", 400, "several `Host`"),
                (line + "Host: a b\r\n\r\n", 400, "not a host"), (line + "Host:\r\n\r\n", 400, "no `Host`"),
                (line + "Host: localhost:x\r\n\r\n", 400, "not a host"),
                (line + "Host: evil.example\r\n\r\n", 421, "--allow-host evil.example"),
                (line + "Host: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 400, "`gzip` is not known"),
                (line + "Host: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400, "`gzip` is not known"),
                (line + "Host: localhost\r\nX: " + String(repeating: "x", count: 100_000) + "\r\n\r\n", 431, "81920 bytes"),
                ("GET /" + String(repeating: "x", count: 100_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 431, "81920 bytes"),
                (line + "Host: localhost\r\n" + String(repeating: "X: y\r\n", count: 300) + "\r\n", 431, "256 fields"),
                ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\r\n\r\n", 400, "a TLS handshake: this port speaks plain HTTP"),
                ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "HTTP/2 with prior knowledge: this server speaks HTTP/1.1"),
                ("PRIVATE\r\n\r\n", 400, "not HTTP/1.1"), ("nonsense\r\n\r\n", 400, "not HTTP/1.1"),
                ("GET / HTTP/3.0\r\nHost: localhost\r\n\r\n", 400, "not HTTP/1.1"),
            ]
            try await flat().serving { server in
                for (text, status, words) in cases {
                    let answer = try await Wire.exchange(text, with: server)
                    #expect(
                        answer.status == status && answer["Connection"] == "close", "\(text.prefix(200)): \(answer.status) \(answer.text)")
                    #expect(answer.text.contains(words) && answer["Content-Type"] == "application/json", "\(answer.text)")
                    #expect(answer.body.count < 2_000)
                }
                #expect(try await server.get("/friends?user=1").status == 200)
            }
        }

        @Test(arguments: [" ", "\t", "\t \t", "  "])
        func `blanks after the value of a field are no part of it`(blank: String) async throws {
            try await flat().serving { server in
                func head(_ fields: [String]) -> String {
                    "GET /friends?user=1 HTTP/1.1\r\n" + (fields + ["Connection: close"]).map { "\($0)\(blank)\r\n" }.joined() + "\r\n"
                }
                let host = "Host: localhost"
                let plain = try await Wire.exchange(head([host]), with: server)
                let tag = try #require(plain["ETag"])
                let cases: [([String], String, Int)] = [
                    (["If-None-Match: \(tag)"], "", 304), (["If-None-Match: *"], "", 304), (["If-None-Match: \"a\", \(tag)"], "", 304),
                    (["Content-Length: 5"], "12345", 200), (["Transfer-Encoding: chunked"], "5\r\n12345\r\n0\r\n\r\n", 200),
                    (["Transfer-Encoding: gzip"], "", 400), (["Accept-Encoding: gzip;q=1"], "", 200), (["Priority: u=1"], "", 200),
                    (["Accept: text/event-stream", "Origin: http://elsewhere.test"], "", 403),
                ]
                for (fields, body, status) in cases {
                    let answer = try await Wire.exchange(head([host] + fields) + body, with: server)
                    #expect(answer.status == status, "\(fields): \(answer.status) \(answer.text)")
                }
                // Its own page's stream, of which the head is enough.
                let wire = try Wire(server)
                try wire.send(head([host, "Accept: text/event-stream", "Origin: http://localhost"]))
                let beginning = try await blocking { try wire.socket.receive() ?? [] }
                #expect(beginning.starts(with: "HTTP/1.1 200 OK".utf8))
            }
        }

        @Test func `a folded field is refused`() async throws {
            try await flat().serving { server in
                for fold in ["\r\n b", "\r\n\tb"] {
                    let answer = try await Wire.exchange(Wire.head("/friends?user=1", "X: a\(fold)\r\n"), with: server)
                    #expect(answer.status == 400)
                }
            }
        }

        @Test func `a client that goes on sending after its head was refused still gets the answer`() async throws {
            try await flat().serving { server in
                let answer = try await blocking {
                    let wire = try Wire(server)
                    try wire.send("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "x", count: 100_000))
                    for _ in 0..<20 { try? wire.send(String(repeating: "x", count: 10_000)) }
                    return try wire.answer()
                }
                #expect(answer.status == 431)
            }
        }

        @Test func `names given with --allow-host are answered on loopback`() async throws {
            try await flat().serving("pipeline.yaml", "--allow-host", "app.test", "--allow-host", "other.test") { server in
                for (host, status) in [("app.test:8080", 200), ("OTHER.test", 200), ("[::1]", 200), ("evil.test", 421)] {
                    let head = "GET /friends?user=1 HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
                    let answer = try await Wire.exchange(head, with: server)
                    #expect(answer.status == status, "\(host)")
                }
            }
            let ran = try await flat().run("serve", "--port", "0", "--allow-host", "http://app.test")
            #expect(ran.status == 64 && ran.errors.contains("--allow-host example.com"), "\(ran.errors)")
        }

        @Test func `a target that is a whole URL is answered, and its host counts in the place of the field`() async throws {
            let cases: [(target: String, host: String, status: Int)] = [
                ("http://localhost/friends?user=1", "localhost", 200), ("HTTP://127.0.0.1:8080/friends?user=1", "evil.example", 200),
                ("https://localhost/friends?user=1", "localhost", 200), ("http://localhost/-/health", "localhost", 200),
                ("http://evil.example/friends?user=1", "localhost", 421), ("http://localhost", "localhost", 404),
                ("http://localhost?user=1", "localhost", 404), ("http:///friends?user=1", "localhost", 400),
                ("http://joe@localhost/friends?user=1", "localhost", 400), ("http://localhost/friends?user=1", "a b", 400),
                ("ftp://localhost/friends?user=1", "localhost", 400),
            ]
            try await flat().serving { server in
                for (target, host, status) in cases {
                    let head = "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
                    let answer = try await Wire.exchange(head, with: server)
                    #expect(answer.status == status, "\(target): \(answer.status) \(answer.text)")
                }
            }
        }

        @Test func `a connection stays open for further requests unless one of the two says otherwise`() async throws {
            try await flat().serving { server in
                let kept = try Wire(server)
                for _ in 1...3 {
                    try kept.send(Wire.head("/friends?user=1"))
                    let answer = try await blocking { try kept.answer() }
                    #expect(answer.status == 200 && answer["Connection"] == nil)
                }
                try kept.send(Wire.head("/friends?user=1", "Connection: close\r\n"))
                let last = try await blocking { try Answer(kept.all()) }
                #expect(last.text == "[1]" && last["Connection"] == "close")

                let old = try await Wire.exchange(Wire.head("/friends?user=1", version: "1.0"), with: server)
                #expect(old.text == "[1]" && old["Connection"] == "close")
                let oldKept = try Wire(server)
                for _ in 1...2 {
                    try oldKept.send(Wire.head("/friends?user=1", "Connection: keep-alive\r\n", version: "1.0"))
                    #expect(try await blocking { try oldKept.answer() }["Connection"] == "keep-alive")
                }
            }
        }

        @Test func `pipelined requests are answered in order`() async throws {
            let folder = try flat()
            for user in 2...100 { try folder.write("flat/\(user)", "[\(user)]") }
            try await folder.serving { server in
                let answers = try await blocking {
                    let wire = try Wire(server)
                    try wire.send(
                        (1..<100).map { Wire.head("/friends?user=\($0)") }.joined()
                            + Wire.head("/friends?user=100", "Connection: close\r\n"))
                    return String(decoding: try wire.all(), as: UTF8.self)
                }
                #expect(answers.matches(of: /\r\n\r\n\[(\d+)\]/).compactMap { Int($0.1) } == Array(1...100))
            }
        }

        @Test func `OPTIONS says what is answered`() async throws {
            try await flat().serving { server in
                for target in ["/friends", "*"] {
                    let answer = try await server.get(target, method: "OPTIONS")
                    #expect(answer.status == 204 && answer["Allow"] == "GET, HEAD, OPTIONS" && answer.body == [])
                    #expect(answer["Content-Length"] == nil)
                }
            }
        }

        @Test func `a request with a body is answered, and its connection ends when the body is not there yet`() async throws {
            try await flat().serving { server in
                let head = "POST /friends HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nabc"
                let answer = try await Wire.exchange(head, with: server)
                #expect(answer.status == 405)
            }
        }

        @Test func `every answer has a date, and forbids guessing its type`() async throws {
            try await flat().serving { server in
                for target in ["/friends?user=1", "/friends?user=9", "/nothing", "/-/metrics", "/-/health"] {
                    let answer = try await server.get(target)
                    #expect(answer["X-Content-Type-Options"] == "nosniff" && answer["Server"] == "pipe-run")
                    #expect(
                        answer["Date"]?.wholeMatch(of: /(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z][a-z] \d{4} \d\d:\d\d:\d\d GMT/)
                            != nil)
                }
            }
        }

        @Test func `an answer does not repeat what a client sent at length`() async throws {
            let long = String(repeating: "x", count: 70_000)
            try await OddServer.run(.status(500)) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      api: { type: http, url: "${ORIGIN}/{user}" }
                      flat: { type: file, path: "flat", read_only: true }
                    pipelines:
                      friends: { parameters: [user], tiers: [api] }
                      missing: { parameters: [user], tiers: [flat] }
                    """)
                try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    let targets = [
                        ("/friends?user=\(long)", 502), ("/missing?user=\(long)", 404), ("/\(long)", 404), ("/-/\(long)", 404),
                        ("/friends?\(long)=1", 400), ("/friends?user=1&\(long)", 400),
                    ]
                    for (target, status) in targets {
                        let answer = try await server.get(target)
                        #expect(answer.status == status && answer.body.count < 6_000, "\(target.prefix(20)): \(answer.body.count)")
                        #expect(answer.text.contains("…") || status == 400, "\(answer.text.prefix(300))")
                    }
                    #expect(try await server.get("/friends?user=\(long)").text.contains("500"), "why it failed is still there")
                }
            }
        }

        @Test func `brief errors name no tier and no upstream`() async throws {
            try await OddServer.run(.status(500)) { origin in
                try await WorkFolder(threeTiers).serving("pipeline.yaml", "--errors", "brief", environment: ["ORIGIN": origin.url]) {
                    server in
                    let answer = try await server.get("/friends")
                    #expect(answer.status == 502)
                    #expect(answer.text == "{\"error\":{\"code\":\"every_tier_failed\",\"message\":\"the value could not be loaded\"}}\n")
                    #expect(answer["Cache-Status"] == nil)
                }
            }
        }
    }
}
