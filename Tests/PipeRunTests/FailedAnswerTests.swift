import Foundation
import PipelineServer
import Testing

extension CommandLineTests {
    /// What a user reads of an answer that failed.
    @Suite struct FailedAnswerTests {
        private static let failing = OddServer.Reply.bytes(
            "HTTP/1.1 500 X\r\nContent-Length: 42\r\n\r\n{\"error\": \"no such table: friends\u{1B}[31m\\n\"}")

        private static let file = """
            sources:
              api: { type: http, url: "${ORIGIN}/friends" }
            pipelines:
              friends: { tiers: [api] }
            """

        @Test func `the beginning of its body is in the trace, in the envelope and in the log`() async throws {
            let folder = try WorkFolder(Self.file)
            try await OddServer.run(Self.failing) { origin in
                let environment = ["ORIGIN": origin.url]
                let trace = try await folder.run("fetch", "friends", "--trace", environment: environment)
                #expect(trace.status == 1)
                #expect(
                    trace.errors.contains(
                        "status 500 from \(origin.url)/friends: {\"error\": \"no such table: friends\u{FFFD}[31m\\n\"}"))

                let envelope = try await folder.run("fetch", "friends", "--output", "envelope", environment: environment)
                #expect(envelope.text.contains(#""detail":"{\"error\": \"no such table: friends�[31m\\n\"}""#))
            }
        }

        @Test func `serve answers 502 for a status that HTTP does not know, and goes on`() async throws {
            try await OddServer.run(.bytes("HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\n[]")) { origin in
                let ran = try await WorkFolder(Self.file).serving(environment: ["ORIGIN": origin.url]) { server in
                    for _ in 0..<3 {
                        let answer = try await server.get("/friends")
                        #expect(answer.status == 502 && answer.text.contains("its status is 000"))
                    }
                }
                #expect(ran.status == 0 && origin.count == 3)
            }
        }

        @Test func `a status that HTTP does not know ends no command`() async throws {
            let folder = try WorkFolder(Self.file)
            for answer in ["HTTP/1.1 000 X\r\n\r\n", "HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\n[]", "HTTP/1.1 042 X\r\n\r\n[1]"] {
                try await OddServer.run(.bytes(answer)) { origin in
                    let environment = ["ORIGIN": origin.url]
                    let fetched = try await folder.run("fetch", "friends", environment: environment)
                    #expect(fetched.status == 1 && fetched.errors.contains("is not HTTP: its status is 0"))
                    let validated = try await folder.run("validate", "--level", "connect", environment: environment)
                    #expect(validated.status == 1 && validated.text.contains("P501") && validated.text.contains("its status is 0"))
                }
            }
        }
    }
}
