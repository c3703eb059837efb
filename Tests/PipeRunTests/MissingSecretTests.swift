import Foundation
import Testing

extension CommandLineTests {
    /// A source that lacks a variable or a file fails when it is asked, and not before.
    @Suite struct MissingSecretTests {
        private static let secrets = ["${API_TOKEN}", "${file:token.txt}", "${API_TOKEN:?ask the owner}"]

        private func filled(_ secret: String) async throws -> WorkFolder {
            let folder = try WorkFolder(
                """
                sources:
                  disk: { type: file, path: ".cache/{key}.json" }
                  api: { type: http, url: "http://127.0.0.1:1/friends", headers: { Authorization: "Bearer \(secret)" } }
                pipelines:
                  friends: { tiers: [ { source: disk, ttl: 1h }, api ] }
                """)
            try folder.write("saved.json", "[2]")
            try folder.write(
                "pipeline.test.yaml",
                """
                tests:
                  - name: the cache answers
                    pipeline: friends
                    given: { api: "[1]" }
                    steps: [ { fetch: { is: "[1]" } }, { fetch: { is: "[1]", from: disk } } ]
                """)
            let stored = try await folder.run("put", "friends", input: Array("[1]".utf8))
            let recorded = try await folder.run("fetch", "friends", "--record", "trace.jsonl")
            #expect(stored.status == 0 && recorded.status == 0, "\(stored.everything)\(recorded.everything)")
            return folder
        }

        @Test(
            arguments: secrets,
            [
                ["list", "friends"], ["remove", "friends"], ["clear", "friends"], ["network", "friends"], ["config"],
                ["fetch", "friends"], ["fetch", "friends", "--policy", "cache-only"], ["fetch", "friends", "--policy", "offline"],
                ["fetch", "friends", "--order", "disk"], ["fetch", "friends", "--swap", "api=saved.json"],
                ["watch", "friends", "--swap", "api=saved.json", "--count", "1"],
                ["simulate", "friends", "--trace", "trace.jsonl"], ["test"],
                [
                    "compare", "friends", "--order", "disk", "--order", "api,disk", "--swap", "api=saved.json", "--duration", "50ms",
                    "--runs", "1",
                ],
            ])
        func `what does not ask the source works without its secret`(secret: String, command: [String]) async throws {
            let ran = try await filled(secret).start(command).ran()

            #expect(ran.status == 0, "\(ran.everything)")
        }

        @Test(arguments: secrets)
        func `a fetch that asks the source ends with 2 and names what is missing`(secret: String) async throws {
            let ran = try await filled(secret).run("fetch", "friends", "--policy", "refresh")

            #expect(ran.status == 2 && ran.text == "", "\(ran.everything)")
            #expect(ran.errors.contains(/pipeline\.yaml:3:[0-9]+: error\[P40[12]\]/), "\(ran.errors)")
        }

        @Test(arguments: secrets) func `validate and serve report it`(secret: String) async throws {
            let folder = try await filled(secret)

            #expect(try await folder.run("validate", "pipeline.yaml").text.contains(/error\[P40[12]\]/))
            #expect(try await folder.run("serve", "--port", "0").status == 2)
        }

        @Test func `a cache that lacks something fails, and the others are listed and cleared`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  disk: { type: file, path: ".cache/{key}.json" }
                  shared: { type: file, path: "${SHARED}/{key}.json" }
                pipelines:
                  friends: { tiers: [ { source: disk, ttl: 1h }, { source: shared, ttl: 1h } ] }
                """)

            for command in ["list", "clear"] {
                let ran = try await folder.run(command, "friends")
                #expect(ran.status == 1, "\(ran.everything)")
                #expect(ran.text.contains("shared: failed: environment variable `SHARED` is not set"), "\(ran.everything)")
                #expect(ran.text.contains(/disk: (nothing|cleared)/))
            }
        }
    }
}
