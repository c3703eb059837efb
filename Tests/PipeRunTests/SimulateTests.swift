import Foundation
import Testing

extension CommandLineTests {
    /// `pipe-run simulate`.
    @Suite struct SimulateTests {
        private static let config = """
            sources:
              memory: { type: memory, max_entries: 100 }
              api: { type: http, url: "http://127.0.0.1:1/friends/{user}" }
            pipelines:
              friends:
                parameters: [user]
                tiers:
                  - { source: memory, ttl: 10s }
                  - api

            """

        private static func folder(model: String? = "sources:\n  api: { takes: 20ms }\n") throws -> WorkFolder {
            let folder = try WorkFolder(config)
            if let model { try folder.write("pipeline.sim.yaml", model) }
            let lines = (0..<600).map { "\(Double($0) / 10),\($0 % 7)" }
            try folder.write("hour.csv", "time,key\n" + lines.joined(separator: "\n") + "\n")
            return folder
        }

        private static func simulate(_ folder: WorkFolder, _ arguments: String...) async throws -> Ran {
            try await folder.start(["simulate", "friends", "--trace", "hour.csv"] + arguments).ran()
        }

        @Test func `orders are rows, and the same bytes come each time`() async throws {
            let folder = try Self.folder()

            let first = try await Self.simulate(folder, "--order", "memory,api", "--order", "api", "--format", "json")
            let second = try await Self.simulate(folder, "--order", "memory,api", "--order", "api", "--format", "json")

            #expect(first.status == 0)
            #expect(first.text == second.text)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(first.text.utf8)) as? [String: Any])
            let variants = try #require(object["variants"] as? [[String: Any]])
            #expect(variants.map { $0["name"] as? String } == ["memory,api", "api"])
            #expect((variants[1]["origin_calls"] as? [String: Int])?["api"] == 600)
            #expect((variants[0]["origin_calls"] as? [String: Int])?["api"] == 42)
        }

        @Test func `a field is varied, and the objective names the best value with its edit`() async throws {
            let folder = try Self.folder()

            let ran = try await Self.simulate(folder, "--vary", "memory.ttl=1s,5s,20s", "--objective", "p99 <= 50ms; min calls")

            #expect(ran.status == 0)
            #expect(ran.text.contains("best: memory.ttl=20s (p99 20.0 ms, calls 21)"))
            #expect(ran.text.contains("-      - { source: memory, ttl: 10s }\n+      - { source: memory, ttl: 20s }\n"))
        }

        @Test func `OS-18 no variant meets the objective: the nearest, and 1`() async throws {
            let ran = try await Self.simulate(Self.folder(), "--vary", "memory.ttl=1s,5s", "--objective", "hits >= 99.9%")

            #expect(ran.status == 1)
            #expect(ran.text.contains("none meets the objective; nearest: memory.ttl=5s"))
        }

        @Test func `OS-11 a window beyond the trace is a warning, one within it fails requests`() async throws {
            let folder = try Self.folder()

            let late = try await Self.simulate(folder, "--down", "api@10m+10m")
            let early = try await Self.simulate(folder, "--order", "api", "--down", "api@10s+10s", "--format", "csv")

            #expect(late.status == 0)
            #expect(late.errors.contains("warning: the window `down` of `api` begins at 10m, after the last request, at 59s900ms"))
            #expect(early.text.contains("\napi,api,600,500,0,0,100,0,600,"))
        }

        @Test func `bad calls and models are said in words`() async throws {
            let folder = try Self.folder(model: "sources:\n  apo: { takes: 1ms }\n")

            let model = try await Self.simulate(folder)
            let window = try await Self.simulate(Self.folder(), "--down", "api")
            let field = try await Self.simulate(Self.folder(), "--vary", "disk.ttl=1s")
            let objective = try await Self.simulate(Self.folder(), "--objective", "p98 <= 1ms")

            #expect(model.status == 1 && model.errors.contains("pipeline.sim.yaml:2:3: error[P201]: undefined source `apo`"))
            #expect(window.status == 64 && window.errors.contains("`api` is no window"))
            #expect(field.status == 64 && field.errors.contains("has no source `disk`"))
            #expect(objective.status == 64 && objective.errors.contains("`p98` is no figure"))
        }

        @Test func `the picture is one SVG for light and dark`() async throws {
            let ran = try await Self.simulate(Self.folder(), "--vary", "memory.max_entries=1..8x2", "--format", "svg")

            #expect(ran.status == 0)
            #expect(ran.text.hasPrefix("<svg ") && ran.text.hasSuffix("</svg>\n"))
            #expect(ran.text.contains("prefers-color-scheme: dark") && ran.text.contains("Answered by caches, by size"))
        }
    }
}
