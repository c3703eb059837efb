import Foundation
import Pipeline
import PipelineSending
import TestSupport
import Testing

/// Sends that write files through Apache's `mod_dav`, which knows conditions and gives its answers no tags.
@Suite(.enabled(if: PeerServer.hasDAV, "\(PeerServer.adviceForDAV)"), .timeLimit(.minutes(15)))
struct ApacheDAVTests {
    /// The file that is written, behind Apache.
    private struct Served {
        let folder: TemporaryFolder

        private var path: String { folder.path + "/files/42.json" }
        /// The text of the file; empty where there is none.
        var text: String { folder.text(of: "files/42.json") }

        /// Writes the file as somebody else has on a day of long ago. Of a file that was just written Apache gives a weak tag.
        func write(_ text: String, on day: Int) throws {
            try folder.put(text, into: "files/42.json")
            let date = Date(timeIntervalSince1970: 1_600_000_000 + Double(day) * 86_400)
            try FileManager.default.setAttributes([.modificationDate: date, .posixPermissions: 0o666], ofItemAtPath: path)
        }

        func remove() throws { try FileManager.default.removeItem(atPath: path) }
    }

    private static let (old, theirs, ours) = (#"{"name":"Grace"}"#, #"{"name":"Barbara"}"#, #"{"name":"Ada"}"#)

    /// Runs `body` with a file behind Apache and sends that write and remove it.
    ///
    /// - Parameters:
    ///   - fields: more fields of the send `save`.
    ///   - place: the URL through which is written, for the URL of Apache; nil for that itself.
    private static func serving(
        _ fields: String = "", through place: ((String, (String) async throws -> Void) async throws -> Void)? = nil,
        _ body: (PeerSends, Served) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try await PeerServer.dav(in: folder) { url async throws in
            try await (place ?? { try await $1($0) })(url) { written async throws in
                let text = """
                    sources:
                      memory: { type: memory }
                      api: { type: http, url: "\(url)/{user}.json" }
                      store: { type: http, method: PUT, url: "\(written)/{user}.json", timeout: 10m }
                      bin: { type: http, method: DELETE, url: "\(written)/{user}.json", timeout: 10m }
                    pipelines:
                      profile: { parameters: [user], tiers: [{ source: memory, ttl: none }, { source: api, timeout: 10m }] }
                    sends:
                      save:
                        parameters: [user]
                        to: store
                        retry: { base: 1ms, max: 1ms }
                        changes: [{ pipeline: profile, op: replace }]
                        \(fields)
                      remove: { parameters: [user], to: bin, retry: { base: 1ms, max: 1ms }, changes: [{ pipeline: profile }] }
                    """
                try await PeerSends.run(text) { try await body($0, Served(folder: folder)) }
            }
        }
    }

    @Test func `a file that is made and one that is replaced are both sent, and what is removed twice is, too`() async throws {
        try await Self.serving { sends, file async throws in
            let made = try await sends.come("save", ["user": "42"], Self.old)
            #expect(made.state == .sent && made.status == 201 && file.text == Self.old, "\(made)")
            let replaced = try await sends.come("save", ["user": "42"], Self.ours)
            #expect(replaced.state == .sent && replaced.status == 204 && file.text == Self.ours, "\(replaced)")
            #expect(try await sends.shown("profile", ["user": "42"], .refresh) == (Self.ours, 0))

            let removed = try await sends.come("remove", ["user": "42"])
            let again = try await sends.come("remove", ["user": "42"])
            #expect(removed.state == .sent && removed.status == 204, "\(removed)")
            #expect(again.state == .sent && again.status == 404 && again.tries == 1, "\(again)")
            #expect(try await sends.shown("profile", ["user": "42"], .refresh) == ("not_found", 0))
        }
    }

    @Test func `what nobody has changed is written with its tag, at once`() async throws {
        try await Self.serving("if_match: etag") { sends, file async throws in
            try file.write(Self.old, on: 1)
            #expect(try await sends.shown("profile", ["user": "42"]) == (Self.old, 0))

            let sent = try await sends.come("save", ["user": "42"], Self.ours)

            #expect(sent.state == .sent && sent.status == 204 && sent.tries == 1, "\(sent)")
            #expect(sends.waits(of: sent) == [] && file.text == Self.ours)
        }
    }

    @Test(arguments: [("fail", SendState.failed, 1), ("refetch", .sent, 2), ("keep", .sent, 2), ("drop", .dropped, 1)])
    func `SD-19 an edit of somebody else in between is a conflict, and the rule decides`(
        rule: String, state: SendState, tries: Int
    ) async throws {
        try await Self.serving("if_match: etag\n    on_conflict: \(rule)") { sends, file async throws in
            try file.write(Self.old, on: 1)
            _ = try await sends.shown("profile", ["user": "42"])
            try file.write(Self.theirs, on: 2)

            let come = try await sends.come("save", ["user": "42"], Self.ours)

            #expect(come.state == state && come.tries == tries, "\(come)")
            #expect(come.status == (state == .sent ? 204 : 412))
            #expect(sends.waits(of: come).filter { $0 != "conflict: status 412" } == [])
            #expect(state == .sent || come.reason == "conflict: status 412")
            let text = state == .sent ? Self.ours : Self.theirs
            #expect(file.text == text)
            #expect(try await sends.shown("profile", ["user": "42"], .refresh) == (text, 0))
        }
    }

    @Test func `a file that somebody has removed has no tag to go on with`() async throws {
        try await Self.serving("if_match: etag\n    on_conflict: refetch") { sends, file async throws in
            try file.write(Self.old, on: 1)
            _ = try await sends.shown("profile", ["user": "42"])
            try file.remove()

            let come = try await sends.come("save", ["user": "42"], Self.ours)

            #expect(come.state == .failed && come.reason == "the value has no entity tag for the condition", "\(come)")
            #expect(come.tries == 1 && file.text == "")
        }
    }

    @Test func `SD-19 two edits of one's own are no conflict, although Apache has a weak tag for the first one's effect`() async throws {
        try await Self.serving("if_match: etag") { sends, file async throws in
            try file.write(Self.old, on: 1)
            _ = try await sends.shown("profile", ["user": "42"])

            let first = try await sends.pipelines.send("save", ["user": "42"], Array(Self.theirs.utf8))
            let second = try await sends.pipelines.send("save", ["user": "42"], Array(Self.ours.utf8))
            let (one, two) = (try await sends.come(first), try await sends.come(second))

            #expect(one.state == .sent && one.tries == 1, "\(one)")
            #expect(two.state == .sent && two.tries == 1, "\(two)")
            // Apache gives a strong tag a second after the change.
            #expect(sends.waits(of: two).allSatisfy { $0 == "the value has only a weak entity tag" }, "\(sends.waits(of: two))")
            #expect(file.text == Self.ours)
        }
    }

    @Test(.enabled(if: PythonServer.isThere, "\(PythonServer.advice)"))
    func `SD-20 what was made before its answer was lost is sent: 412 to a PUT that is there, 404 to a DELETE`() async throws {
        try await Self.serving("if_match: etag", through: LossyRelay.run) { sends, file async throws in
            try file.write(Self.old, on: 1)
            _ = try await sends.shown("profile", ["user": "42"])

            let saved = try await sends.come("save", ["user": "42"], Self.ours)
            #expect(saved.state == .sent && saved.tries == 2 && saved.status == 412, "\(saved)")
            #expect(sends.waits(of: saved).first == "the connection was closed before the answer was whole")
            #expect(file.text == Self.ours)

            let removed = try await sends.come("remove", ["user": "42"])
            #expect(removed.state == .sent && removed.tries == 2 && removed.status == 404, "\(removed)")
            #expect(file.text == "")
        }
    }
}

/// A relay in Python before a server: it passes each request on, and loses the first answer to each method but GET.
private enum LossyRelay {
    private static let program = """
        import http.client
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        lost = set()
        class Relay(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *_): pass
            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                server = http.client.HTTPConnection("127.0.0.1", PORT)
                server.request(self.command, self.path, body or None, dict(self.headers))
                answer = server.getresponse()
                text = answer.read()
                server.close()
                self.close_connection = True
                if self.command != "GET" and self.command not in lost:
                    lost.add(self.command)
                    return
                self.send_response_only(answer.status, answer.reason)
                for name in ("ETag", "Location", "Content-Type"):
                    if name in answer.headers: self.send_header(name, answer.headers[name])
                if answer.status != 204: self.send_header("Content-Length", str(len(text)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(text)
            do_GET = do_PUT = do_DELETE = pass_on
        server = ThreadingHTTPServer(("127.0.0.1", 0), Relay)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    /// Runs `body` with the URL of a relay before the server at `url`.
    static func run(_ url: String, _ body: (String) async throws -> Void) async throws {
        let port = url.split(separator: ":").last ?? ""
        try await PythonServer.run(program.replacing("PORT", with: port)) { try await body("http://127.0.0.1:\($0)") }
    }
}
