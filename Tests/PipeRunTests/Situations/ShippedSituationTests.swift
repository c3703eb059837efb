import Foundation
import PipelineServer
import Testing

extension CommandLineTests {
    /// A configuration service, with a file that is shipped with the program and a default that is written out.
    @Suite struct ShippedSituationTests {
        static let config = """
            sources:
              disk: { type: file, path: ".cache/{key}.json" }
              service: { type: http, url: "${SERVICE}/flags", timeout: 2s }
              shipped: { type: file, path: shipped.json, read_only: true }
              builtin: { type: inline, value: { dark: false, from: builtin } }
            pipelines:
              flags:
                stale_if_error: 1d
                tiers:
                  - { source: disk, ttl: 200ms }
                  - { source: service, on_not_found: next }
                  - { source: shipped, last_resort: true }
                  - builtin
            """

        private static func fetch(_ folder: WorkFolder, _ service: String) async throws -> (Ran, Envelope) {
            let ran = try await folder.run("fetch", "flags", "--output", "envelope", environment: ["SERVICE": service])
            return (ran, try Envelope(ran))
        }

        /// An address where nothing listens.
        private static func nowhere() async throws -> String {
            var url = ""
            try await OddServer.run(.silence) { url = $0.url }
            return url
        }

        @Test func `the service answers where it can, and its answer is kept`() async throws {
            try await OddServer.run(.value(#"{"dark":true}"#)) { service in
                let folder = try WorkFolder(Self.config)
                try folder.write("shipped.json", #"{"from":"shipped"}"#)

                let (_, envelope) = try await Self.fetch(folder, service.url)

                #expect(envelope.from == "service")
                #expect(folder.read(".cache/flags.json") == #"{"dark":true}"#)
            }
        }

        @Test func `the last good copy comes before what is shipped, and is not replaced by it`() async throws {
            let folder = try WorkFolder(Self.config)
            try folder.write("shipped.json", #"{"from":"shipped"}"#)
            try await OddServer.run(.value(#"{"dark":true}"#)) { service in _ = try await Self.fetch(folder, service.url) }
            let nowhere = try await Self.nowhere()

            var envelope: Envelope?
            try await until("an expired copy") { folder.read(".cache/flags.json") != nil }
            repeat { envelope = try await Self.fetch(folder, nowhere).1 } while envelope?.stale == false

            #expect(envelope?.from == "disk" && envelope?.stale == true)
            #expect(folder.read(".cache/flags.json") == #"{"dark":true}"#)
        }

        @Test func `without a copy the shipped file answers, without that the default, and neither is kept`() async throws {
            let folder = try WorkFolder(Self.config)
            let nowhere = try await Self.nowhere()

            let (_, builtin) = try await Self.fetch(folder, nowhere)
            try folder.write("shipped.json", #"{"from":"shipped"}"#)
            let (_, shipped) = try await Self.fetch(folder, nowhere)

            #expect(builtin.from == "builtin" && shipped.from == "shipped")
            #expect(builtin.writes.allSatisfy { $0.outcome == "skipped" } && shipped.writes.allSatisfy { $0.outcome == "skipped" })
            #expect(folder.read(".cache/flags.json") == nil)
        }

        @Test func `one 404 of a misrouted deployment removes no copy`() async throws {
            let folder = try WorkFolder(Self.config)
            try folder.write("shipped.json", #"{"from":"shipped"}"#)
            try await OddServer.run({ _, number in number == 1 ? .value(#"{"dark":true}"#) : .status(404) }) { service in
                _ = try await Self.fetch(folder, service.url)

                try await until("the service was asked again") { service.count > 1 || folder.read(".cache/flags.json") != nil }
                while service.count < 2 { _ = try await Self.fetch(folder, service.url) }

                #expect(folder.read(".cache/flags.json") == #"{"dark":true}"#)
            }
        }
    }
}
