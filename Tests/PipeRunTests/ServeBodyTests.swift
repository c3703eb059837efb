import Foundation
import Testing

extension ServingTests {
    /// How `serve` reads the bodies of writes: whole, within bounds, and in the order of the requests.
    @Suite struct ServeBodyTests {
        private static let config = """
            sources:
              flat: { type: file, path: "flat/{user}", read_only: true }
              add: { type: http, method: POST, url: "${ORIGIN}/notes", idempotent: true }
              outbox: { type: outbox, path: outbox.db, max_size: 100KiB }
            pipelines:
              friends: { parameters: [user], tiers: [flat] }
            sends:
              note: { to: add, format: text, debounce: 1h }
              item: { to: add, debounce: 1h }
            """

        /// Runs `body` with a server that takes sends, and delivers none for an hour; gives what the outbox has then.
        private func serving(_ body: (Serving) async throws -> Void) async throws -> String {
            let folder = try WorkFolder(Self.config)
            try folder.write("flat/1", "[1]")
            let process = try folder.start(["serve", "--port", "0", "--allow-sends", "all"], environment: unreachable)
            _ = try await Serving.run(process, body)
            return try await folder.run("outbox", "list", "--output", "json", "--payload", environment: unreachable).text
        }

        /// The head of a write that does not wait.
        private static func head(_ name: String, _ fields: String) -> String {
            "POST /\(name) HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=0\r\n\(fields)\r\n"
        }

        private static func chunks(_ parts: String...) -> String {
            (parts + [""]).map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined()
        }

        /// The statuses of all answers up to the end of the connection.
        private func statuses(_ text: String, of server: Serving) async throws -> [Int] {
            let all = try await blocking {
                let wire = try Wire(server)
                try wire.send(text)
                return String(decoding: try wire.all(), as: UTF8.self)
            }
            return all.matches(of: /HTTP\/1\.1 (\d+)/).compactMap { Int($0.1) }
        }

        @Test func `a body is taken as it is, whole or in chunks, however it comes`() async throws {
            let payload = "a\tb\r\n\r\nc"
            let listed = try await serving { server async throws in
                let whole = Self.head("note", "Content-Length: \(payload.utf8.count)\r\n") + payload
                let chunked = Self.head("note", "Transfer-Encoding: chunked\r\n") + Self.chunks("a\t", "b\r\n\r\nc")
                for text in [whole, chunked] {
                    for size in [1, 7, text.utf8.count] {
                        let answer = try await blocking {
                            let wire = try Wire(server)
                            var rest = Array(text.utf8)[...]
                            while !rest.isEmpty {
                                try wire.socket.send(Array(rest.prefix(size)))
                                rest = rest.dropFirst(size)
                            }
                            return try wire.answer()
                        }
                        #expect(answer.status == 202, "\(answer.text)")
                    }
                }
            }
            #expect(listed.matches(of: /"payload_text":"a\\tb\\r\\n\\r\\nc"/).count == 6, "\(listed)")
        }

        @Test func `a body in chunks of HTTP/1.0 is refused: its end cannot be told`() async throws {
            let listed = try await serving { server async throws in
                let head = "POST /note HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
                #expect(try await statuses(head + Self.chunks("abc"), of: server) == [400])
            }
            #expect(!listed.contains("abc"))
        }

        @Test func `requests behind a write are answered in their turn, also behind one that is refused`() async throws {
            let get = Wire.head("/friends?user=1")
            let last = Wire.head("/friends?user=1", "Connection: close\r\n")
            let note = Self.head("note", "Content-Length: 3\r\n") + "abc"
            let refused = Self.head("item", "Content-Type: text/plain\r\nContent-Length: 3\r\n") + "abc"
            let broken = Self.head("item", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n") + Self.chunks("ab", "c")
            let listed = try await serving { server async throws in
                #expect(
                    try await statuses(get + note + get + refused + get + broken + note + last, of: server) == [
                        200, 202, 200, 415, 200, 400, 202, 200,
                    ])
                #expect(
                    try await statuses(String(repeating: note, count: 40) + last, of: server) == Array(repeating: 202, count: 40) + [200])
            }
            #expect(listed.matches(of: /"payload_text":"abc"/).count == 42)
        }

        @Test func `a client that wants to be told to go on is told once its head is accepted`() async throws {
            let listed = try await serving { server async throws in
                let told = try await blocking {
                    let wire = try Wire(server)
                    try wire.send(Self.head("note", "Expect: 100-Continue\r\nConnection: close\r\nContent-Length: 3\r\n"))
                    let first = try wire.socket.receive() ?? []
                    try wire.send("abc")
                    return String(decoding: try first + wire.all(), as: UTF8.self)
                }
                #expect(told.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 "), "\(told)")
                for fields in ["Content-Length: 102401\r\n", "Content-Encoding: gzip\r\nContent-Length: 3\r\n"] {
                    let refused = try await Wire.exchange(Self.head("note", "Expect: 100-continue\r\n" + fields), with: server)
                    #expect([413, 415].contains(refused.status) && refused["Connection"] == "close", "\(refused.text)")
                }
            }
            #expect(listed.matches(of: /"id":/).count == 1, "\(listed)")
        }

        @Test func `a body without an end is refused at its bound, and a broken one is none`() async throws {
            let text = String(repeating: "x", count: 60_000)
            let listed = try await serving { server async throws in
                let large = try await Wire.exchange(
                    Self.head("note", "Connection: close\r\nTransfer-Encoding: chunked\r\n") + Self.chunks(text, text), with: server)
                #expect(large.status == 413 && large.text.contains("larger than 100KiB"), "\(large.text)")
                let endless = try await Wire.exchange(
                    Self.head("note", "Transfer-Encoding: chunked\r\n") + "ffffff\r\n" + text + text, with: server)
                #expect(endless.status == 413 && endless["Connection"] == "close", "\(endless.text)")
                let broken = try await Wire.exchange(
                    Self.head("note", "Transfer-Encoding: chunked\r\n") + "3\r\nabc\r\nno chunk", with: server)
                #expect(broken.status == 400, "\(broken.text)")
                let left = try await blocking {
                    let wire = try Wire(server)
                    try wire.send(Self.head("note", "Content-Length: 9\r\n") + "abc")
                    wire.socket.shutSending()
                    return try wire.all()
                }
                #expect(left == [])
                #expect(try await server.get("/friends?user=1").status == 200)
            }
            #expect(listed == "", "\(listed)")
        }
    }
}
