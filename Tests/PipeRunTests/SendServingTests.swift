import Foundation
import Testing

extension ServingTests {
    /// What `serve` does with sends: those that earlier processes have taken in, and those of its clients.
    @Suite struct SendServingTests {
        private static let friend = #"{"name":"Ada"}"#
        private static let added = #"{"id":7,"name":"Ada"}"#

        /// Runs `body` with a server that takes every send, and an origin that answers a POST as told.
        private func serving(
            _ config: String = friendsWithSends, _ arguments: String..., answering post: @escaping @Sendable (Int) -> OddServer.Reply,
            _ body: (Serving, OddServer, WorkFolder) async throws -> Void
        ) async throws -> Ran {
            let folder = try WorkFolder(config)
            var ran: Ran?
            try await OddServer.run(friends(adding: post)) { origin in
                let process = try folder.start(
                    ["serve", "--port", "0", "--allow-sends", "all"] + arguments, environment: ["ORIGIN": origin.url])
                ran = try await Serving.run(process) { try await body($0, origin, folder) }
            }
            return try #require(ran)
        }

        /// Returns when the server has read its file again.
        private func reload(_ server: Serving, succeeding: Bool = true) async throws {
            let outcome = ["outcome": succeeding ? "success" : "failed"]
            func count() async throws -> Double {
                try PrometheusText(try await server.get("/-/metrics").text)["pipe_run_config_reloads_total", outcome] ?? 0
            }
            let before = try await count()
            server.process.send(SIGHUP)
            try await until("the file to be read") { try await count() > before }
        }

        @Test func `serve shows what waits, lets nobody keep it, and delivers it`() async throws {
            let folder = try WorkFolder(friendsWithSends)
            try await OddServer.run(friends { _ in .status(503) }) { origin in
                _ = try await folder.run("fetch", "friends", "user=42", environment: ["ORIGIN": origin.url])
                _ = try await folder.run(
                    "send", "add_friend", "user=42", "--id", "my-1", "--wait", "100ms", environment: ["ORIGIN": origin.url],
                    input: Array(Self.friend.utf8))

                try await folder.serving(environment: ["ORIGIN": origin.url]) { server async throws in
                    let answer = try await server.get("/friends?user=42")
                    #expect(answer.text.contains("~my-1"), "\(answer.text)")
                    #expect(answer["Cache-Control"] == "no-store" && answer["Pipe-Run-Sends"] == "1")
                    #expect(answer["ETag"]?.hasPrefix("W/") == true)
                }
            }
            try await OddServer.run(friends { _ in .value(Self.added) }) { origin in
                try await folder.serving(environment: ["ORIGIN": origin.url]) { server async throws in
                    _ = try await server.get("/friends?user=42")
                    try await until("the send is a change of the list") {
                        try await server.get("/friends?user=42")["Pipe-Run-Sends"] == nil
                    }
                    let answer = try await server.get("/friends?user=42")
                    #expect(answer.text == #"[{"id":1},{"id":7,"name":"Ada"}]"#)
                    #expect(answer["Cache-Control"] != "no-store")
                }
            }
        }

        @Test func `what an earlier run has taken in goes out without a request`() async throws {
            let folder = try WorkFolder(friendsWithSends)
            _ = try await folder.run(
                "send", "add_friend", "user=42", "--id", "my-1", "--wait", "1ms", environment: unreachable, input: Array(Self.friend.utf8))
            try await OddServer.run(friends { _ in .value(Self.added) }) { origin in
                let process = try folder.start(
                    ["serve", "--port", "0", "--allow-sends", "all"], environment: ["ORIGIN": origin.url])
                _ = try await Serving.run(process) { server async throws in
                    try await until("the send is sent") { try await server.get("/-/sends/my-1").text.contains(#""state":"sent""#) }
                }
            }
        }

        @Test func `a write is sent, and answered with its envelope; the next read has it`() async throws {
            _ = try await serving(answering: { _ in .value(Self.added) }) { server, origin, _ async throws in
                #expect(try await server.get("/friends?user=42").text == #"[{"id":1}]"#)

                let answer = try await server.send(
                    "POST", "/add_friend?user=42", Self.friend, headers: ["Idempotency-Key": "my-1"])

                #expect(answer.status == 200 && answer["Content-Type"] == "application/json", "\(answer.text)")
                #expect(answer["Cache-Control"] == "no-store" && answer["Preference-Applied"] == nil)
                let head = #"{"send":"add_friend","id":"my-1","number":1,"parameters":{"user":"42"},"state":"sent","tries":1,"#
                #expect(answer.text.hasPrefix(head), "\(answer.text)")
                #expect(answer.text.hasSuffix(#""answer":{"status":200,"id":7,"value":\#(Self.added)},"error":null}"# + "\n"))
                #expect(origin.heads.contains { $0.contains("POST /friends/42") && $0.lowercased().contains("idempotency-key: my-1") })
                #expect(try await server.get("/friends?user=42").text == #"[{"id":1},{"id":7,"name":"Ada"}]"#)
            }
        }

        @Test func `one that waits is answered with where to ask for it, and is sent later`() async throws {
            _ = try await serving(answering: { $0 < 5 ? .status(503) : .value(Self.added) }) { server, _, _ async throws in
                let answer = try await server.send("POST", "/add_friend?user=42", Self.friend, headers: ["Idempotency-Key": "a/b"])

                #expect(answer.status == 202 && answer["Location"] == "/-/sends/a%2Fb", "\(answer.text)")
                #expect(answer.text.contains(#""state":"waiting""#) && answer.text.contains(#""error":null"#), "\(answer.text)")
                try await until("the send is sent") {
                    let later = try await server.get("/-/sends/a%2Fb")
                    #expect(later.status == 200 && later["Cache-Control"] == "no-store" && later.text.contains(#""id":"a/b""#))
                    return later.text.contains(#""state":"sent""#)
                }
                #expect(try await server.get("/-/sends/nobody").status == 404)
                #expect(try await server.get("/-/sends/").status == 404)
                #expect(try await server.send("POST", "/-/sends/a%2Fb", Self.friend).status == 405)
            }
        }

        @Test func `a client says how long it waits, at most 30 s`() async throws {
            _ = try await serving(answering: { _ in .held(.value(Self.added)) }) { server, origin, _ async throws in
                func send(_ prefer: String, _ id: String) async throws -> Answer {
                    try await server.send(
                        "POST", "/add_friend?user=42", Self.friend, headers: ["Prefer": prefer, "Idempotency-Key": id])
                }
                for prefer in ["wait=0", "respond-async, wait=\"0\"; x=y", "wait=0, wait=30"] {
                    let hasty = try await send(prefer, "my-1")
                    #expect(hasty.status == 202 && hasty["Preference-Applied"] == "wait=0", "\(prefer): \(hasty.text)")
                }
                try await origin.asked(1)
                async let patient = send("wait=3600", "my-1")
                async let usual = send("wait=soon", "my-1")
                origin.release()

                let (answer, other) = try await (patient, usual)
                #expect(answer.status == 200 && answer["Preference-Applied"] == "wait=30", "\(answer.text)")
                #expect(other["Preference-Applied"] == nil)
            }
        }

        @Test func `the same id takes nothing in again, bare or quoted, and with another payload it is refused`() async throws {
            _ = try await serving(answering: { _ in .value(Self.added) }) { server, origin, _ async throws in
                for (key, body, status) in [
                    ("my-1", Self.friend, 200), ("\"my-1\"", Self.friend, 200), ("my-1", "{}", 422), ("\"my\\\"2\\\\\"", Self.friend, 200),
                    ("a b", Self.friend, 400), ("", Self.friend, 400), ("\"my-1", Self.friend, 400), ("\"a\"b\"", Self.friend, 400),
                    (String(repeating: "x", count: 256), Self.friend, 400),
                ] {
                    let head = "POST /add_friend?user=42 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    let answer = try await Wire.exchange(
                        head + "Content-Type: application/json\r\nIdempotency-Key: \(key)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                            + body, with: server)
                    #expect(answer.status == status, "\(key): \(answer.text)")
                }
                #expect(try await server.get("/-/sends/my%222%5C").status == 200)
                #expect(origin.heads.filter { $0.contains("POST /") }.count == 2)
            }
        }

        @Test(arguments: [(422, 422), (404, 404), (501, 502)])
        func `one that has failed has the status of the origin, or 502, as a problem`(origin: Int, expected: Int) async throws {
            let refusal = "HTTP/1.1 \(origin) No\r\nContent-Length: 13\r\n\r\nthe name: no!"
            _ = try await serving(answering: { _ in .bytes(refusal) }) { server, _, _ async throws in
                let answer = try await server.send("POST", "/add_friend?user=42", Self.friend, headers: ["Idempotency-Key": "my-1"])

                #expect(answer.status == expected && answer["Content-Type"] == "application/problem+json")
                let problem = try JSONValue(answer.body)
                #expect(problem["status"]?.number == expected && problem["type"]?.text == "about:blank")
                #expect(problem["detail"]?.text == "the name: no!" && problem["instance"]?.text == "/-/sends/my-1")
                #expect(problem["state"]?.text == "failed" && problem["answer"]?["status"]?.number == origin)
                // The question is answered well.
                #expect(try await server.get("/-/sends/my-1").status == 200)
            }
        }

        @Test func `one that a person must decide about is held, and answered with 202`() async throws {
            let config = friendsWithSends.replacing(", idempotent: true", with: "")
            _ = try await serving(config, answering: { _ in .end }) { server, _, _ async throws in
                let answer = try await server.send(
                    "POST", "/add_friend?user=42", Self.friend, headers: ["Prefer": "wait=30", "Idempotency-Key": "my-1"])

                #expect(answer.status == 202 && answer["Location"] == "/-/sends/my-1", "\(answer.text)")
                #expect(answer.text.contains(#""state":"held""#) && answer.text.contains(#""error":{"code":"held""#), "\(answer.text)")
            }
        }

        @Test func `what does not fit is refused with what is wrong, and nothing is taken in`() async throws {
            let sent = #"{"name":"Payload5"}"#
            let cases: [(String, String, String, [String: String], Int, String)] = [
                ("POST", "/add_friend?user=42", "{", [:], 400, "the payload is"),
                ("POST", "/add_friend", sent, [:], 400, "as in `/add_friend?user=VALUE`"),
                ("POST", "/add_friend?usr=42", sent, [:], 400, "did you mean `user`?"),
                ("POST", "/add_friend?user=4&user=2", sent, [:], 400, "given twice"),
                ("POST", "/add_friend?user=%zz", sent, [:], 400, "percent-encoded"),
                ("POST", "/add_frend?user=42", sent, [:], 404, "did you mean `add_friend`?"),
                ("PUT", "/add_friend?user=42", sent, [:], 405, "`OPTIONS` and `POST` are"),
                ("GET", "/add_friend?user=42", "", [:], 405, "`OPTIONS` and `POST` are"),
                ("POST", "/friends?user=42", sent, [:], 405, "`GET`, `HEAD` and `OPTIONS` are"),
                ("POST", "/add_friend?user=42", sent, ["Content-Type": ""], 415, "Content-Type"),
                ("POST", "/add_friend?user=42", sent, ["Content-Type": "text/plain"], 415, "Content-Type"),
                ("POST", "/add_friend?user=42", sent, ["Content-Encoding": "gzip"], 415, "compressed"),
                ("POST", "/add_friend?user=42", sent, ["Origin": "https://evil.example"], 403, "pages of other origins"),
                ("POST", "/add_friend?user=42", sent, ["Origin": "null"], 403, "pages of other origins"),
                ("POST", "/add_friend?user=42", #""\#(String(repeating: "x", count: 3_000))""#, [:], 413, "larger than 2KiB"),
            ]
            let config = friendsWithSends.replacing("path: .state/outbox.db", with: "path: .state/outbox.db, max_size: 2KiB")
            let ran = try await serving(config, "--log", "debug", answering: { _ in .value(Self.added) }) {
                server, origin, folder async throws in
                for (method, target, body, headers, status, words) in cases {
                    let answer = try await server.send(method, target, body, headers: headers)
                    #expect(answer.status == status && answer.text.contains(words), "\(method) \(target): \(answer.status) \(answer.text)")
                    if status != 405 { #expect(answer["Content-Type"] == "application/problem+json", "\(method) \(target)") }
                }
                #expect(try await server.get("/add_friend")["Allow"] == "OPTIONS, POST")
                #expect(try await server.get("/add_friend", method: "OPTIONS")["Allow"] == "OPTIONS, POST")
                #expect(origin.count == 0)
                let listed = try await folder.run("outbox", "list", "--output", "json", environment: unreachable)
                #expect(listed.status == 0 && listed.text.isEmpty, "\(listed.text)")

                // A page of its own may, and JSON is known by its suffix, too.
                let fields = ["Origin": "http://127.0.0.1:\(server.port)", "Host": "127.0.0.1:\(server.port)"]
                _ = try await server.send("POST", "/add_friend?user=42", sent, headers: ["Content-Type": "application/x+json; a=b"])
                let answer = try await Wire.exchange(
                    "POST /add_friend?user=42 HTTP/1.1\r\nConnection: close\r\n"
                        + fields.map { "\($0.key): \($0.value)\r\n" }.joined() + "\r\n", with: server)
                #expect(answer.status == 400, "an item needs a payload: \(answer.text)")
                #expect(origin.heads.filter { $0.contains("POST /") }.count == 1)
            }
            // Payloads are in no log.
            #expect(ran.errors.contains("target=\"/add_friend?user=42\"") && !ran.errors.contains("Payload5"), "\(ran.errors)")
        }

        @Test func `a full outbox is 507, a broken one 503, and a read is answered all the same`() async throws {
            let config = friendsWithSends.replacing("path: .state/outbox.db", with: "path: .state/outbox.db, max_entries: 1")
            for (errors, words) in [("full", ".state/outbox.db"), ("brief", "cannot be used at the moment")] {
                _ = try await serving(config, "--errors", errors, answering: { _ in .status(503) }) { server, _, folder async throws in
                    #expect(try await server.send("POST", "/add_friend?user=42", Self.friend).status == 202)
                    let full = try await server.send("POST", "/add_friend?user=42", Self.friend)
                    #expect(full.status == 507 && full.text.contains("the outbox is full"), "\(full.text)")

                    try FileManager.default.removeItem(at: folder.url.appending(path: ".state"))
                    try folder.write(".state/outbox.db", "no database at all, and longer than a header of one would be, by far and wide")
                    let broken = try await server.send("POST", "/add_friend?user=42", Self.friend)
                    #expect(broken.status == 503 && broken.text.contains(words), "\(broken.text)")
                    #expect(try await server.get("/friends?user=42").status == 200)
                }
            }
        }

        @Test func `with brief errors the reasons of a send are left out`() async throws {
            _ = try await serving(friendsWithSends, "--errors", "brief", answering: { _ in .status(503) }) { server, _, _ async throws in
                let answer = try await server.send("POST", "/add_friend?user=42", Self.friend)
                #expect(answer.status == 202 && answer.text.contains(#""reason":null"#), "\(answer.text)")
                let unknown = try await server.send("POST", "/add_frend?user=42", Self.friend)
                #expect(unknown.status == 404 && !unknown.text.contains("add_friend"), "\(unknown.text)")
            }
        }

        @Test func `sends that are not named are as if they were not there, and one may have the name of a pipeline`() async throws {
            let config =
                friendsWithSends.replacing("sends:\n", with: "sends:\n  friends: { parameters: [user], to: drop }\n")
                .replacing("  outbox:", with: "  drop: { type: http, method: DELETE, url: \"${ORIGIN}/drop/{user}\" }\n  outbox:")
            let folder = try WorkFolder(config)
            try await OddServer.run(friends { _ in .value(Self.added) }) { origin in
                try await folder.serving("pipeline.yaml", "--allow-sends", "friends", environment: ["ORIGIN": origin.url]) {
                    server async throws in
                    let removed = try await server.send("DELETE", "/friends?user=42", headers: ["Idempotency-Key": "my-1"])
                    #expect(removed.status == 200 && removed.text.contains(#""send":"friends","id":"my-1""#), "\(removed.text)")
                    #expect(try await server.get("/friends?user=42").status == 200)
                    #expect(try await server.send("POST", "/friends?user=42", Self.friend)["Allow"] == "GET, HEAD, OPTIONS, DELETE")

                    #expect(try await server.send("POST", "/add_friend?user=42", Self.friend).status == 404)
                    #expect(try await server.get("/add_friend?user=42").status == 404)
                    _ = try await folder.run(
                        "send", "add_friend", "user=42", "--id", "other", environment: ["ORIGIN": origin.url],
                        input: Array(Self.friend.utf8))
                    #expect(try await server.get("/-/sends/my-1").status == 200)
                    #expect(try await server.get("/-/sends/other").status == 404)
                }
                try await folder.serving(environment: ["ORIGIN": origin.url]) { server async throws in
                    #expect(try await server.send("DELETE", "/friends?user=42").status == 405)
                    #expect(try await server.get("/-/sends/my-1").status == 404)
                }
            }
        }

        @Test(
            arguments: [
                (["--allow-sends", "add_frend"], "unknown send `add_frend` in `--allow-sends`", "did you mean `add_friend`?"),
                (["--allow-sends", "all", "nobody"], "unknown send `nobody`", "known sends"),
                (["--send-token", "token"], "--send-token needs --allow-sends", "--allow-sends"),
                (["--allow-sends", "all", "--send-token", "missing"], "the file in `--send-token` cannot be read", "the path of a file"),
                (["--allow-sends", "all", "--send-token", "empty"], "the file in `--send-token` is empty", "openssl"),
                (["--allow-sends", "all", "--send-token", "two"], "the file in `--send-token` holds more than one word", "one word"),
                (["--allow-sends", "all", "--send-token", "short"], "fewer than 16 characters", "openssl"),
                (["--host", "0.0.0.0", "--allow-sends", "all"], "--allow-sends on `0.0.0.0` needs --send-token", "whoever reaches it"),
            ])
        func `options that do not fit are wrong usage`(arguments: [String], message: String, help: String) async throws {
            let folder = try WorkFolder(friendsWithSends)
            try folder.write("empty", " \n")
            try folder.write("two", "one two\n")
            try folder.write("short", "secret\n")
            try folder.write("token", "0123456789-t0ken")

            let ran = try await folder.start(["serve", "--port", "0"] + arguments, environment: unreachable).ran()

            #expect(ran.status == 64 && ran.errors.contains(message) && ran.errors.contains(help), "\(ran.errors)")
        }

        @Test func `without the token nobody writes or asks; it is read again with the file, and shows nowhere`() async throws {
            let folder = try WorkFolder(friendsWithSends)
            try folder.write("token", "  0123456789-t0ken-one\n")
            try await OddServer.run(friends { _ in .value(Self.added) }) { origin in
                let ran = try await folder.serving(
                    "pipeline.yaml", "--allow-sends", "all", "--send-token", "token", "--log", "debug", environment: ["ORIGIN": origin.url]
                ) { server async throws in
                    func send(_ authorization: String, to target: String = "/add_friend?user=42") async throws -> Answer {
                        try await server.send(
                            "POST", target, Self.friend, headers: ["Authorization": authorization, "Idempotency-Key": "my-1"])
                    }
                    let token = "0123456789-t0ken-one"
                    let wrong = ["Bearer \(token.dropLast())", "Bearer \(token)e", "Bearer \(token.uppercased())", "Basic \(token)", token]
                    for wrong in ["", "Bearer"] + wrong {
                        let answer = try await send(wrong)
                        #expect(answer.status == 401 && answer["WWW-Authenticate"] == "Bearer", "\(wrong): \(answer.text)")
                    }
                    #expect(try await server.get("/-/sends/my-1").status == 401)
                    #expect(origin.count == 0)
                    #expect(try await server.get("/friends?user=42").status == 200, "reads need none")
                    #expect(try await send("bearer  0123456789-t0ken-one").status == 200)
                    #expect(try await server.get("/-/sends/my-1", headers: ["Authorization": "Bearer 0123456789-t0ken-one"]).status == 200)
                    let told = try await send("Bearer 0123456789-t0ken-one", to: "/add_friend?user=42&0123456789-t0ken-one=1")
                    #expect(told.status == 400 && told.text.contains("***") && !told.text.contains("0123456789-t0ken"), "\(told.text)")

                    try folder.write("token", "0123456789-t0ken-two")
                    try await reload(server)
                    #expect(try await send("Bearer 0123456789-t0ken-one").status == 401)
                    #expect(try await send("Bearer 0123456789-t0ken-two").status == 200)
                    try folder.write("token", "")
                    try await reload(server, succeeding: false)
                    #expect(try await send("Bearer 0123456789-t0ken-two").status == 200, "the one before stays in use")
                    server.process.send(SIGTERM)
                }
                #expect(!ran.errors.contains("0123456789-t0ken"), "\(ran.errors)")
            }
        }

        @Test func `a send that a reload takes away is not there any more`() async throws {
            _ = try await serving(answering: { _ in .value(Self.added) }) { server, origin, folder async throws in
                #expect(
                    try await server.send("POST", "/add_friend?user=42", Self.friend, headers: ["Idempotency-Key": "my-1"]).status == 200)
                let config = friendsWithSends
                try folder.write("pipeline.yaml", config.replacing("add_friend:", with: "other:"))
                try await reload(server)

                #expect(try await server.send("POST", "/add_friend?user=42", Self.friend).status == 404)
                #expect(try await server.get("/-/sends/my-1").status == 404)
                #expect(try await server.send("POST", "/other?user=42", Self.friend).status == 200)

                try folder.write("pipeline.yaml", config)
                try await reload(server)
                #expect(try await server.get("/-/sends/my-1").status == 200)
                server.process.send(SIGTERM)
            }
        }

        @Test func `a client that leaves takes nothing back, and its request is in the metrics`() async throws {
            _ = try await serving(answering: { _ in .held(.value(Self.added)) }) { server, origin, _ async throws in
                let fields = "Content-Type: application/json\r\nIdempotency-Key: my-1\r\nPrefer: wait=30\r\n"
                let wire = try Wire(server)
                try wire.send(
                    "POST /add_friend?user=42 HTTP/1.1\r\nHost: localhost\r\n\(fields)Content-Length: \(Self.friend.utf8.count)\r\n\r\n"
                        + Self.friend)
                try await origin.asked(1)
                wire.socket.shut()
                try await until("the request to be counted") {
                    let labels = ["pipeline": "", "status": "202"]
                    return try PrometheusText(try await server.get("/-/metrics").text)["pipe_run_requests_total", labels] == 1
                }
                origin.release()

                try await until("the send is sent") { try await server.get("/-/sends/my-1").text.contains(#""state":"sent""#) }
                #expect(origin.heads.filter { $0.contains("POST /") }.count == 1)
            }
        }

        @Test(arguments: [("u=7", "50s"), ("u=1", "10s")])
        func `a server that stops answers a write with what it has come to, of low priority at once`(
            priority: String, drain: String
        ) async throws {
            let ran = try await serving(friendsWithSends, "--drain", drain, answering: { _ in .held(.value(Self.added)) }) {
                server, origin, _ async throws in
                let headers = ["Content-Type": "application/json", "Priority": priority, "Prefer": "wait=30", "Idempotency-Key": "my-1"]
                let request = try Request("POST", "/add_friend?user=42", headers: headers, body: Self.friend, port: server.port)
                try await origin.asked(1)
                server.process.send(SIGTERM)

                let answer = try await blocking { try request.answer() }
                #expect(answer.status == 202 && answer.text.contains(#""id":"my-1""#), "\(answer.text)")
                origin.release()
            }
            #expect(ran.status == 0, "\(ran.errors)")
        }
    }
}
