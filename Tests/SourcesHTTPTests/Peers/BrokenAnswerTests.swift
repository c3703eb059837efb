import Pipeline
import PipelineSending
import TestSupport
import Testing

/// Sends to a server of Python's `http.server` that breaks the rules: what it may have done is done again only where that does no harm.
@Suite(.enabled(if: PythonServer.isThere, "\(PythonServer.advice)"), .timeLimit(.minutes(15)))
struct BrokenAnswerTests {
    /// What the server does after it has read the first request.
    enum Break: String, CaseIterable {
        /// It closes the connection, or resets it, without an answer.
        case silence, reset
        /// It closes or resets behind the head, or behind a part of the body.
        case head, head_reset, short
        /// It closes within a chunk, or without the last one.
        case half_chunk, no_end
        /// A chunk has no length.
        case bad_chunk
        /// It speaks another protocol.
        case garbage
        /// The length of the body is no number, or two.
        case bad_length, two_lengths
        /// It says that it is at it, and nothing more.
        case interim
    }

    /// Runs `body` with sends to a server: `never` may not be repeated, `always` may, and `by_id` since the server knows ids.
    private static func sending(_ body: (PeerSends) async throws -> Void) async throws {
        try await PythonServer.run(server) { port async throws in
            let url = "http://127.0.0.1:\(port)"
            let text = """
                sources:
                  counts: { type: http, url: "\(url)/counts/{how}" }
                  post: { type: http, method: POST, url: "\(url)/never/{how}", timeout: 10m }
                  put: { type: http, method: PUT, url: "\(url)/always/{how}", timeout: 10m }
                  known: { type: http, method: POST, url: "\(url)/by_id/{how}", idempotent: true, timeout: 10m }
                pipelines:
                  counts: { parameters: [how], tiers: [{ source: counts, timeout: 10m }] }
                sends:
                  never: { parameters: [how], to: post, retry: { base: 1ms, max: 1ms } }
                  always: { parameters: [how], to: put, id_header: Idempotency-Key, retry: { base: 1ms, max: 1ms } }
                  by_id: { parameters: [how], to: known, retry: { base: 1ms, max: 1ms } }
                """
            try await PeerSends.run(text, body)
        }
    }

    @Test(arguments: Break.allCases)
    func `after a broken answer a send is repeated with its id where it may be, and held where it may not`(how: Break) async throws {
        try await Self.sending { sends async throws in
            let arguments = ["how": how.rawValue]

            let held = try await sends.come("never", arguments, "[1]")
            #expect(held.state == .held && held.tries == 1, "\(held)")
            #expect(held.reason?.hasPrefix("uncertain: ") == true && held.status == nil, "\(held)")
            for name in ["always", "by_id"] {
                let sent = try await sends.come(name, arguments, "[1]")
                #expect(sent.state == .sent && sent.status == 201 && sent.tries == 2, "\(name): \(sent)")
                #expect(sends.waits(of: sent).count == 1)
            }
            let counts = #"{"always":{"ids":1,"requests":2},"by_id":{"ids":1,"requests":2},"never":{"ids":1,"requests":1}}"#
            #expect(try await sends.shown("counts", arguments) == (counts, 0))
        }
    }

    @Test func `answers that are no final ones stand before the one that counts`() async throws {
        try await Self.sending { sends async throws in
            for name in ["never", "always", "by_id"] {
                let sent = try await sends.come(name, ["how": "hints"], "[1]")
                #expect(sent.state == .sent && sent.status == 201 && sent.tries == 1, "\(name): \(sent)")
                #expect(sent.answer == Array("{}".utf8))
            }
        }
    }

    @Test(arguments: [("early_413", SendState.failed, 413), ("early_201", .sent, 201)])
    func `an answer that comes before the body was read counts`(how: String, state: SendState, status: Int) async throws {
        // More than what is on its way at once.
        let payload = "[" + String(repeating: "1,", count: 450_000) + "1]"
        try await Self.sending { sends async throws in
            for name in ["never", "always", "by_id"] {
                let come = try await sends.come(name, ["how": how], payload)
                #expect(come.state == state && come.status == status && come.tries == 1, "\(name): \(come.state) \(come.reason ?? "")")
            }
        }
    }

    /// Answers the first request of each path `/SEND/HOW` as HOW says, and others well. `GET /counts/HOW` says what came.
    private static let server = #"""
        import json, socket, struct, threading
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        MADE = b"HTTP/1.1 201 Created\r\nConnection: close\r\n"
        WELL = MADE + b"Content-Length: 2\r\n\r\n{}"
        BROKEN = {
            "silence": b"", "reset": b"", "garbage": b"220 mail.example.org ESMTP\r\n\r\n",
            "head": MADE + b"Content-Length: 10\r\n\r\n", "head_reset": MADE + b"Content-Length: 10\r\n\r\n",
            "short": MADE + b"Content-Length: 10\r\n\r\nhalf",
            "half_chunk": MADE + b"Transfer-Encoding: chunked\r\n\r\na\r\nhalf",
            "no_end": MADE + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
            "bad_chunk": MADE + b"Transfer-Encoding: chunked\r\n\r\nmany\r\n{}\r\n0\r\n\r\n",
            "bad_length": MADE + b"Content-Length: many\r\n\r\n{}",
            "two_lengths": MADE + b"Content-Length: 2\r\nContent-Length: 1\r\n\r\n{}",
            "interim": b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n",
        }
        HINTS = b"HTTP/1.1 100 Continue\r\n\r\n" + BROKEN["interim"]
        EARLY = {"early_413": b"HTTP/1.1 413 Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", "early_201": WELL}
        came, lock = {}, threading.Lock()
        class API(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *_): pass
            def do_GET(self):
                how = self.path.rsplit("/", 1)[1]
                with lock:
                    counts = {send: {"ids": len(set(ids)), "requests": len(ids)} for (send, of), ids in came.items() if of == how}
                body = json.dumps(counts, separators=(",", ":"), sort_keys=True).encode()
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            def do_POST(self):
                _, send, how = self.path.split("/")
                with lock:
                    ids = came.setdefault((send, how), [])
                    ids.append(self.headers["Idempotency-Key"])
                    is_first = len(ids) == 1
                self.close_connection = True
                if how in EARLY: self.wfile.write(EARLY[how])
                self.rfile.read(int(self.headers["Content-Length"]))
                if how in EARLY: return
                if how == "hints": self.wfile.write(HINTS + WELL)
                elif not is_first: self.wfile.write(WELL)
                else:
                    self.wfile.write(BROKEN[how])
                    if how.endswith("reset"):
                        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            do_PUT = do_POST
        class Server(ThreadingHTTPServer):
            # Without a shutdown before, so that a reset is one.
            def shutdown_request(self, request): self.close_request(request)
            def handle_error(self, *_): pass
        server = Server(("127.0.0.1", 0), API)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """#
}
