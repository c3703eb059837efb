import Foundation
import PipelineServer
import Testing

extension CommandLineTests {
    /// A REST API with a token and pages, behind memory and a database.
    @Suite struct RESTSituationTests {
        static let config = """
            sources:
              memory: { type: memory }
              db: { type: sqlite, path: .cache/copies.db }
              api:
                type: http
                url: ${API}/users/{user}/repos
                headers: { Authorization: "Bearer ${API_TOKEN}" }
                query: { page: "{page}" }
            pipelines:
              repos:
                parameters: { user: {}, page: { default: "1" } }
                tiers:
                  - { source: memory, ttl: 30s }
                  - { source: db, ttl: 10m }
                  - api
            """
        private static let token = "tok-5up3r-s3cret-value"

        private static func environment(_ api: OddServer, token: String = token) -> [String: String] {
            ["API": api.url, "API_TOKEN": token]
        }

        /// The page that a request asks for, as the origin's answer.
        private static func page(of request: String) -> OddServer.Reply {
            guard request.contains("Authorization: Bearer \(token)") || request.contains("authorization: Bearer \(token)") else {
                return .bytes(
                    "HTTP/1.1 401 Unauthorized\r\nContent-Length: 27\r\nConnection: close\r\n\r\n{\"message\":\"bad \(token)\"}")
            }
            let page = request.firstMatch(of: /[?&]page=([0-9]+)/).map { String($0.1) } ?? "none"
            return .value("[\"page \(page)\"]")
        }

        @Test func `each page is asked for once, with the token, and then the database answers`() async throws {
            try await OddServer.run({ request, _ in Self.page(of: request) }) { api in
                let folder = try WorkFolder(Self.config)
                let environment = Self.environment(api)

                for page in ["1", "2", "1", "2"] {
                    let ran = try await folder.run("fetch", "repos", "user=ann", "page=\(page)", environment: environment)
                    #expect(ran.lines == ["[\"page \(page)\"]"], "\(ran.everything)")
                }
                let byDefault = try await folder.run("fetch", "repos", "user=ann", "--output", "envelope", environment: environment)

                #expect(
                    api.heads.map { $0.components(separatedBy: "\r\n")[0] } == [
                        "GET /users/ann/repos?page=1 HTTP/1.1", "GET /users/ann/repos?page=2 HTTP/1.1",
                    ])
                #expect(try Envelope(byDefault).from == "db")
            }
        }

        @Test func `a server answers from memory, the same request in a moment asks nothing else`() async throws {
            try await OddServer.run({ request, _ in Self.page(of: request) }) { api in
                let folder = try WorkFolder(Self.config)
                try await folder.serving(environment: Self.environment(api)) { server in
                    let first = try await server.get("/repos?user=ann")
                    let second = try await server.get("/repos?user=ann&page=1")

                    #expect(first.text == "[\"page 1\"]" && second.text == first.text)
                    #expect(second["Cache-Status"]?.hasPrefix("\"memory\"; hit") == true, "\(second.headers)")
                    #expect(api.count == 1)
                }
            }
        }

        @Test func `a name that means something in a URL stays one part of the path`() async throws {
            try await OddServer.run({ request, _ in Self.page(of: request) }) { api in
                let ran = try await WorkFolder(Self.config).run(
                    "fetch", "repos", "user=../admin?x=1", environment: Self.environment(api))

                #expect(ran.status == 0, "\(ran.everything)")
                #expect(api.heads.first?.hasPrefix("GET /users/%2E%2E%2Fadmin%3Fx%3D1/repos?page=1 ") == true, "\(api.heads)")
            }
        }

        @Test func `a token that is refused is told with what the API says, and never shown`() async throws {
            try await OddServer.run({ request, _ in Self.page(of: request) }) { api in
                let folder = try WorkFolder(Self.config)
                let wrong = "tok-wrong-0123456789"

                let ran = try await folder.run(
                    "fetch", "repos", "user=ann", "--trace", environment: Self.environment(api, token: wrong))
                let envelope = try await folder.run(
                    "fetch", "repos", "user=ann", "--output", "envelope", environment: Self.environment(api, token: wrong))

                #expect(ran.status == 1 && ran.errors.contains("401"), "\(ran.everything)")
                #expect(!ran.everything.contains(wrong) && !envelope.everything.contains(wrong))
                #expect(try Envelope(envelope).outcome == "failed")
            }
        }

        @Test func `validate names the token that is not set, and asks nobody`() async throws {
            try await OddServer.run(.silence) { api in
                let ran = try await WorkFolder(Self.config).run("validate", environment: ["API": api.url])

                #expect(ran.status == 1 && ran.text.contains("error[P401]") && ran.text.contains("API_TOKEN"), "\(ran.everything)")
                #expect(api.count == 0)
            }
        }
    }
}
