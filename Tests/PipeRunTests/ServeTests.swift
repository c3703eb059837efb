import Foundation
import Pipeline
import PipelineConfig
import Testing

@testable import PipelineServer

extension ServingTests {
    @Suite struct ServeTests {
        static let formats = """
            sources:
              memory: { type: memory }
              flat: { type: file, path: "flat/{user}", read_only: true }
            pipelines:
              friends: { parameters: [user], tiers: [ { source: memory, ttl: 30s }, flat ] }
              text: { parameters: { user: { default: text } }, format: text, tiers: [flat] }
              bytes: { parameters: [user], format: bytes, tiers: [flat] }
              a/ä b: { parameters: [user], tiers: [flat] }
            """

        @Test func `answers with the value, its type, its age and what the tiers did`() async throws {
            let folder = try WorkFolder(Self.formats)
            try folder.write("flat/1", "{ \"id\": 1 }\n")
            try folder.write("flat/text", "hello")
            try folder.write("flat/noise", [0, 255])

            let ran = try await folder.serving { server in
                let cold = try await server.get("/friends?user=1")
                let warm = try await server.get("/friends?user=1")
                #expect(cold.status == 200 && cold.text == "{ \"id\": 1 }\n" && warm.text == cold.text)
                #expect(cold["Content-Type"] == "application/json")
                #expect(cold["Content-Length"] == "12")
                #expect(cold["Age"].flatMap { Int($0) } != nil)
                #expect(cold["ETag"]?.wholeMatch(of: #/(W/)?"[!#-~]*"/#) != nil)
                #expect(warm["ETag"] == cold["ETag"])
                #expect(cold["Cache-Status"] == "\"flat\"; fwd=miss; fwd-status=200, \"memory\"; fwd=miss; stored")
                #expect(warm["Cache-Status"]?.wholeMatch(of: /"memory"; hit; ttl=([12]?[0-9]|30)/) != nil)

                #expect(try await server.get("/text")["Content-Type"] == "text/plain; charset=utf-8")
                let noise = try await server.get("/bytes?user=noise")
                #expect(noise["Content-Type"] == "application/octet-stream" && noise.body == [0, 255])
            }

            #expect(ran.status == 0 && ran.text == "")
        }

        @Test func `answers 304 to who has it, and HEAD without a body`() async throws {
            let folder = try WorkFolder(Self.formats)
            try folder.write("flat/1", "[1]")

            try await folder.serving { server in
                let etag = try #require(try await server.get("/friends?user=1")["ETag"])
                for field in [etag, "\"x\", \(etag)", "*"] {
                    let unchanged = try await server.get("/friends?user=1", headers: ["If-None-Match": field])
                    #expect(unchanged.status == 304 && unchanged.body == [])
                    #expect(unchanged["ETag"] == etag && unchanged["Age"] != nil && unchanged["Cache-Status"] != nil)
                }
                #expect(try await server.get("/friends?user=1", headers: ["If-None-Match": "\"other\""]).status == 200)

                let head = try await server.get("/friends?user=1", method: "HEAD")
                #expect(head.status == 200 && head.body == [])
                #expect(head["Content-Length"] == "3" && head["ETag"] == etag && head["Content-Type"] == "application/json")
                #expect(try await server.get("/friends?user=9", method: "HEAD").status == 404)
            }
        }

        @Test func `wrong requests are answered with what is wrong, as JSON`() async throws {
            let folder = try WorkFolder(Self.formats)
            try folder.write("flat/1", "[1]")
            struct Problem: Decodable {
                struct Body: Decodable {
                    let code: String
                    let message: String
                }
                let error: Body
            }

            try await folder.serving { server in
                func problem(_ target: String, method: String = "GET") async throws -> (Int, Problem.Body) {
                    let answer = try await server.get(target, method: method)
                    #expect(answer["Content-Type"] == "application/json", "\(method) \(target)")
                    return (answer.status, try JSONDecoder().decode(Problem.self, from: Data(answer.body)).error)
                }
                let cases: [(String, Int, String, String)] = [
                    ("/friends", 400, "bad_request", "user"), ("/friends?usr=1", 400, "bad_request", "did you mean `user`?"),
                    ("/friends?user=1&page=2", 400, "bad_request", "page"), ("/friends?user=1&user=2", 400, "bad_request", "twice"),
                    ("/friends?user=%zz", 400, "bad_request", "percent-encod"), ("/friends?user=%ff", 400, "bad_request", "percent-encod"),
                    ("/friends?user=2", 404, "not_found", "not found"), ("/frends?user=1", 404, "not_found", "did you mean `friends`?"),
                    ("/", 404, "not_found", "known pipelines"),
                    ("/metrics", 404, "not_found", "is at `/-/metrics`"),
                    ("/friends/?user=1", 404, "not_found", "friends"),
                ]
                for (target, status, code, words) in cases {
                    let (answered, problem) = try await problem(target)
                    #expect(answered == status && problem.code == code, "\(target)")
                    #expect(problem.message.contains(words), "\(target): \(problem.message)")
                    #expect(!problem.message.contains("pipe-run fetch"), "\(problem.message)")
                }
            }
        }

        @Test func `parameters and names are percent-encoded`() async throws {
            let folder = try WorkFolder(Self.formats)
            try folder.write("flat/a%20b%26c%3Dd%2B%C3%A9", "[1]")
            try folder.write("secret", "[0]")
            let targets = [
                ("/friends?user=a%20b%26c%3Dd%2B%C3%A9", 200), ("/friends?user=a+b%26c=d%2B%c3%a9", 200),
                ("/a%2F%C3%A4%20b?user=a+b%26c=d%2B%c3%a9", 200), ("/friends?user=..%2Fsecret", 404), ("/../secret", 404),
                ("//friends?user=1", 404),
            ]

            try await folder.serving { server in
                for (target, status) in targets {
                    let answer = try await server.get(target)
                    #expect(answer.status == status, "\(target): \(answer.text)")
                    if status == 200 { #expect(answer.text == "[1]") }
                }
            }
        }

        @Test func `when every tier failed it answers 502 with the attempts`() async throws {
            try await OddServer.run(.status(500)) { origin in
                let folder = try WorkFolder(threeTiers)
                struct Body: Decodable {
                    let error: Envelope.Problem
                    let tiers: [Envelope.Tier]
                }
                try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    let answer = try await server.get("/friends")
                    let body = try JSONDecoder().decode(Body.self, from: Data(answer.body))

                    #expect(answer.status == 502 && answer["Content-Type"] == "application/json")
                    #expect(body.error.code == "every_tier_failed")
                    #expect(body.tiers.map(\.source) == ["memory", "disk", "api"])
                    #expect(body.tiers.map(\.outcome) == ["miss", "miss", "error"])
                    let status = try #require(answer["Cache-Status"])
                    #expect(["\"memory\"", "\"disk\"", "\"api\""].allSatisfy(status.contains))
                    #expect(status.contains("fwd-status=500") || status.contains("detail="))
                }
            }
        }

        @Test func `what the origin said of the value is passed on`() async throws {
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: application/problem+json\r\nETag: \"v1\"\r\n"
                + "Last-Modified: Sat, 01 Jan 2022 00:00:00 GMT\r\nContent-Length: 3\r\n\r\n[1]"
            try await OddServer.run(.bytes(head)) { origin in
                try await WorkFolder(threeTiers).serving(environment: ["ORIGIN": origin.url]) { server in
                    for _ in 1...2 {
                        let answer = try await server.get("/friends")
                        #expect(answer["Content-Type"] == "application/problem+json" && answer["ETag"] == "\"v1\"")
                        #expect(answer["Last-Modified"] == "Sat, 01 Jan 2022 00:00:00 GMT")
                    }
                    #expect(origin.count == 1)
                }
            }
        }

        @Test func `200 requests of a cold key make one origin request`() async throws {
            try await OddServer.run(.held(.value("[1]"))) { origin in
                try await WorkFolder(threeTiers).serving(environment: ["ORIGIN": origin.url]) { server in
                    let requests = try await blocking { try (1...200).map { _ in try Request("GET", "/friends", port: server.port) } }
                    try await origin.asked()
                    origin.release()
                    let answers = try await blocking { try requests.map { try $0.answer() } }

                    #expect(answers.allSatisfy { $0.status == 200 && $0.text == "[1]" })
                    #expect(origin.count == 1)
                }
            }
        }

        @Test(arguments: [SIGTERM, SIGINT])
        func `a signal lets a running request finish, flushes, and ends with 0`(signal: Int32) async throws {
            try await OddServer.run({ request, _ in request.contains("user=2") ? .held(.value("[2]")) : .value("[1]") }) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      disk: { type: file, path: ".cache/{key}.json" }
                      api: { type: http, url: "${ORIGIN}", query: { user: "{user}" } }
                    pipelines:
                      friends: { parameters: [user], tiers: [ { source: disk, ttl: 10h, debounce: 1h }, api ] }
                    """)
                let ran = try await folder.serving(environment: ["ORIGIN": origin.url]) { server in
                    #expect(try await server.get("/friends?user=1").text == "[1]")
                    let running = try await blocking { try Request("GET", "/friends?user=2", port: server.port) }
                    try await origin.asked(2)
                    server.process.send(signal)
                    try await refusal(of: server.port)
                    #expect(folder.read(".cache/friends,user=1.json") == nil)
                    origin.release()
                    let answer = try await blocking { try running.answer() }
                    #expect(answer.status == 200 && answer.text == "[2]")
                }

                #expect(ran.status == 0)
                #expect(folder.read(".cache/friends,user=1.json") == "[1]" && folder.read(".cache/friends,user=2.json") == "[2]")
                #expect(ran.errors.split(separator: "\n").count == 1, "\(ran.errors)")
            }
        }

        /// Returns when no server listens at `port` any more.
        private func refusal(of port: Int) async throws {
            try await blocking {
                let limit = Date(timeIntervalSinceNow: patience)
                while let connection = try? Socket.connect(to: port) {
                    connection.shut()
                    guard Date() < limit else { throw TooLong(description: "port \(port) still listens") }
                }
            }
        }

        @Test func `a request that is given up does not end the load of others`() async throws {
            try await OddServer.run(.held(.value("[1]"))) { origin in
                try await WorkFolder(threeTiers).serving(environment: ["ORIGIN": origin.url]) { server in
                    let (leaving, staying) = try await blocking {
                        (try Request("GET", "/friends", port: server.port), try Request("GET", "/friends", port: server.port))
                    }
                    try await origin.asked()
                    leaving.abandon()
                    origin.release()
                    #expect(try await blocking { try staying.answer() }.text == "[1]")
                }
            }
        }

        @Test(arguments: ["", "GET /fri", "GET /friends?user=1 HTTP/1.1\r\nHost: h\r\n\r\n"])
        func `a connection that only stays open does not hold up the end`(sent: String) async throws {
            let folder = try WorkFolder(Self.formats)
            try folder.write("flat/1", "[1]")
            try await folder.serving { server in
                try await blocking {
                    let connection = try Socket.connect(to: server.port)
                    try connection.send(Array(sent.utf8))
                    if sent.hasSuffix("\r\n\r\n") { _ = try connection.receive() }
                    server.process.send(SIGTERM)
                    while (try? connection.receive()) != nil {}
                }
            }
        }

        @Test func `other methods are refused with those that are not`() async throws {
            try await WorkFolder(Self.formats).serving { server in
                let answer = try await server.get("/friends?user=1", method: "POST")
                #expect(answer.status == 405 && answer["Allow"] == "GET, HEAD, OPTIONS")
                #expect(answer.text.contains("`POST`"))
            }
        }

        @Test func `a port in use is said clearly`() async throws {
            let folder = try WorkFolder(Self.formats)
            try await folder.serving { server in
                let ran = try await folder.run("serve", "--port", "\(server.port)")

                #expect(ran.status == 1 && ran.text == "")
                #expect(
                    ran.errors
                        == "pipe-run: cannot listen on 127.0.0.1:\(server.port): the port is in use\nhelp: `--port 0` takes a free one\n")
            }
        }

        @Test(arguments: [
            ("nosuchhost.invalid", "the host is unknown"), ("192.0.2.1", "not an address of this machine"), ("", "the host is unknown"),
        ])
        func `a host that cannot be listened on is said clearly`(host: String, words: String) async throws {
            let ran = try await WorkFolder(Self.formats).run("serve", "--port", "0", "--host", host)

            #expect(ran.status == 1 && ran.text == "")
            #expect(ran.errors.contains("cannot listen on") && ran.errors.contains(words), "\(ran.errors)")
        }

        @Test(arguments: ["-1", "65536", "http"])
        func `a port that is none ends with 64`(port: String) async throws {
            let ran = try await WorkFolder(Self.formats).run("serve", "--port", port)

            #expect(ran.status == 64 && ran.errors.contains("--port"))
        }
    }
}
