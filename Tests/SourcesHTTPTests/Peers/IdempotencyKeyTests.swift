import Pipeline
import PipelineSending
import TestSupport
import Testing

/// Sends to a server of draft-ietf-httpapi-idempotency-key-header: it makes what a key is for once, and answers a repeated one as the first.
@Suite(.enabled(if: PythonServer.isThere, "\(PythonServer.advice)"), .timeLimit(.minutes(15)))
struct IdempotencyKeyTests {
    private static let ada = #"{"name":"Ada"}"#
    private static let quoted = "id_header: { name: Idempotency-Key, quoted: true }"

    /// Runs `body` with the URL of a server of its own.
    private static func serving(_ body: (String) async throws -> Void) async throws {
        try await PythonServer.run(server) { try await body("http://127.0.0.1:\($0)") }
    }

    /// Runs `body` with sends to the server at `url`, whose ids go out as `header` says.
    private static func sending(to url: String, _ header: String = quoted, _ body: (PeerSends) async throws -> Void) async throws {
        let text = """
            sources:
              memory: { type: memory }
              api: { type: http, url: "\(url)/friends" }
              counts: { type: http, url: "\(url)/counts" }
              add: { type: http, method: POST, url: "\(url)/friends/{how}", idempotent: true, timeout: 10m }
            pipelines:
              friends: { tiers: [{ source: memory, ttl: none }, { source: api, timeout: 10m }] }
              counts: { tiers: [{ source: counts, timeout: 10m }] }
            sends:
              add:
                parameters: [how]
                to: add
                answer: { item: "" }
                retry: { base: 1ms, max: 1ms }
                changes: [{ pipeline: friends, op: upsert, id: /id }]
                \(header)
            """
        try await PeerSends.run(text, body)
    }

    @Test(arguments: [("well", 1), ("lost", 2)])
    func `the key goes out as a string, and what is asked again gets the answer of the first`(how: String, tries: Int) async throws {
        try await Self.serving { url async throws in
            try await Self.sending(to: url) { sends async throws in
                let sent = try await sends.come("add", ["how": how], Self.ada, id: "a-1")

                #expect(sent.state == .sent && sent.status == 201 && sent.tries == tries && sent.madeID == "1", "\(sent)")
                #expect(try await sends.shown("counts") == (#"{"keys":["\"a-1\""],"made":1,"requests":\#(tries)}"#, 0))
                #expect(try await sends.shown("friends", [:], .refresh) == (#"[{"id":1,"name":"Ada"}]"#, 0))
            }
        }
    }

    @Test func `a key with quotes in it is escaped, and is the same each time`() async throws {
        try await Self.serving { url async throws in
            try await Self.sending(to: url) { sends async throws in
                let sent = try await sends.come("add", ["how": "lost"], Self.ada, id: #"a"b\c"#)

                #expect(sent.state == .sent && sent.tries == 2, "\(sent)")
                #expect(try await sends.shown("counts").0 == #"{"keys":["\"a\\\"b\\\\c\""],"made":1,"requests":2}"#)
            }
        }
    }

    @Test func `409 while the server is still at the first one is asked again, and made once`() async throws {
        try await Self.serving { url async throws in
            try await Self.sending(to: url) { sends async throws in
                let sent = try await sends.come("add", ["how": "slow"], Self.ada)

                #expect(sent.state == .sent && sent.status == 201 && sent.tries == 4, "\(sent)")
                let busy = "status 409: the origin may still be at an earlier try"
                #expect(sends.waits(of: sent) == ["the connection was closed before the answer was whole", busy, busy])
                #expect(try await sends.shown("counts").0.hasSuffix(#""made":1,"requests":4}"#))
            }
        }
    }

    @Test(arguments: ["id_header: none", "id_header: Idempotency-Key"])
    func `without a key, and with one that is no string, the server refuses`(header: String) async throws {
        try await Self.serving { url async throws in
            try await Self.sending(to: url, header) { sends async throws in
                let come = try await sends.come("add", ["how": "well"], Self.ada)

                #expect(come.state == .failed && come.reason == "status 400" && come.tries == 1, "\(come)")
                #expect(come.detail == #"{"title":"Idempotency-Key is no string"}"#)
                #expect(try await sends.shown("counts").0 == #"{"keys":[],"made":0,"requests":1}"#)
            }
        }
    }

    @Test func `422 to the key of another payload fails the send, and nothing is made`() async throws {
        try await Self.serving { url async throws in
            // Two outboxes know nothing of each other's ids.
            for (name, state) in [("Ada", SendState.sent), ("Grace", .failed)] {
                try await Self.sending(to: url) { sends async throws in
                    let come = try await sends.come("add", ["how": "well"], #"{"name":"\#(name)"}"#, id: "a-1")

                    #expect(come.state == state && come.status == (state == .sent ? 201 : 422) && come.tries == 1, "\(come)")
                    #expect(try await sends.shown("friends", [:], .refresh) == (#"[{"id":1,"name":"Ada"}]"#, 0))
                }
            }
        }
    }

    @Test func `422 to one that is asked again is looked at, and fails when nothing was made`() async throws {
        try await Self.serving { url async throws in
            try await Self.sending(to: url) { sends async throws in
                let come = try await sends.come("add", ["how": "stolen"], Self.ada)

                #expect(come.state == .failed && come.reason == "status 422" && come.tries == 2, "\(come)")
                #expect(try await sends.shown("friends", [:], .refresh) == ("[]", 0))
            }
        }
    }

    /// Friends that are made by `POST /friends/HOW`: `well`; `lost`, whose first answer is not given; `slow`, which is still at it for two more
    /// requests; `stolen`, whose key somebody else has used before the first request was looked at.
    private static let server = #"""
        import json, re, threading
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        STRING = re.compile(r'"(?:[ !#-\[\]-~]|\\["\\])*"')
        friends, keys, lock = [], {}, threading.Lock()
        counts = {"keys": [], "made": 0, "requests": 0}
        class First:
            def __init__(self, body, rest): self.body, self.rest, self.answer = body, rest, None
            def make(self):
                friends.append({"id": len(friends) + 1, **json.loads(self.body)})
                counts["made"] += 1
                self.answer = (201, friends[-1])
                return self.answer
        def answer(how, key, body):
            counts["requests"] += 1
            if key is None or not STRING.fullmatch(key): return 400, {"title": "Idempotency-Key is no string"}
            if key not in keys:
                counts["keys"].append(key)
                first = keys[key] = First(b"another" if how == "stolen" else body, 2 if how == "slow" else 0)
                if how in ("well", "lost"): first.make()
                return first.answer if how == "well" else None
            first = keys[key]
            if first.body != body: return 422, {"title": "Idempotency-Key is already used"}
            if first.answer: return first.answer
            first.rest -= 1
            if first.rest == 0: first.make()
            return 409, {"title": "A request is outstanding for this Idempotency-Key"}
        class API(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *_): pass
            def reply(self, status, value):
                body = json.dumps(value, separators=(",", ":")).encode()
                self.send_response_only(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do_GET(self):
                with lock: self.reply(200, friends if self.path == "/friends" else counts)
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with lock: found = answer(self.path.rsplit("/", 1)[1], self.headers["Idempotency-Key"], body)
                if found: self.reply(*found)
                else: self.close_connection = True
        server = ThreadingHTTPServer(("127.0.0.1", 0), API)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """#
}
