import Foundation
import PipelineServer
import Testing

extension CommandLineTests {
    /// Offline first: what is at hand is given at once, and refreshed behind the caller's back.
    @Suite struct OfflineSituationTests {
        static let config = """
            sources:
              memory: { type: memory }
              disk: { type: file, path: ".cache/{key}.json" }
              api: { type: http, url: "${API}/notes", timeout: 2s }
            pipelines:
              notes:
                stale_while_revalidate: 1h
                stale_if_error: 7d
                tiers:
                  - { source: memory, ttl: 100ms }
                  - { source: disk, ttl: 200ms }
                  - api
            """

        private static func fetch(_ folder: WorkFolder, _ api: OddServer, _ arguments: String...) async throws -> Envelope {
            try Envelope(
                try await folder.start(["fetch", "notes", "--output", "envelope"] + arguments, environment: ["API": api.url]).ran())
        }

        @Test func `a copy that has expired is given at once, and the next one is new`() async throws {
            try await OddServer.run({ _, number in .value("[\(number)]") }) { api in
                let folder = try WorkFolder(Self.config)
                let first = try await Self.fetch(folder, api)
                #expect(first.from == "api")
                try await until("an expired copy") { (folder.age(of: ".cache/notes.json") ?? 0) > 0.2 }

                let stale = try await Self.fetch(folder, api, "--wait")
                #expect(stale.stale && stale.from == "disk")
                #expect(api.count == 2)
                #expect(folder.read(".cache/notes.json") == "[2]")
            }
        }

        @Test func `without a network the last copy is given, whatever its age, up to the window`() async throws {
            let folder = try WorkFolder(Self.config)
            var port = 0
            try await OddServer.run({ _, _ in .value("[1]") }) { api in
                port = api.port
                let first = try await Self.fetch(folder, api)
                #expect(first.outcome == "value")
            }
            try await until("an expired copy") { (folder.age(of: ".cache/notes.json") ?? 0) > 0.2 }

            let ran = try await folder.run(
                "fetch", "notes", "--output", "envelope", "--policy", "default", "--wait", environment: ["API": "http://127.0.0.1:\(port)"])
            let envelope = try Envelope(ran)

            #expect(envelope.stale && envelope.from == "disk", "\(ran.everything)")
            #expect(folder.read(".cache/notes.json") == "[1]")
        }

        @Test func `with nothing at hand and no network the answer is no, with the reason`() async throws {
            let folder = try WorkFolder(Self.config)
            var port = 0
            try await OddServer.run(.silence) { port = $0.port }

            let ran = try await folder.run("fetch", "notes", "--trace", environment: ["API": "http://127.0.0.1:\(port)"])

            #expect(ran.status == 1 && ran.text == "")
            #expect(ran.errors.contains("api") && ran.errors.contains("refused"), "\(ran.errors)")
        }
    }
}

extension WorkFolder {
    /// How many seconds ago a file was written; nil when there is none.
    fileprivate func age(of name: String) -> TimeInterval? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.appending(path: name).path)
        return (attributes?[.modificationDate] as? Date).map { -$0.timeIntervalSinceNow }
    }
}
