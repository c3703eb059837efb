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

        @Test func `a composite is played as one origin, which the model calls combine`() async throws {
            let folder = try Self.folder(model: "sources:\n  combine: { takes: 40ms }\n")
            try folder.write(
                "pipeline.yaml",
                Self.config + """
                      home:
                        parameters: [user]
                        combine: { object: { friends: friends } }
                        tiers: [{ source: memory, ttl: 10s }, combine]
                      bare: { parameters: [user], combine: { object: { friends: friends } } }
                    """)

            let ttl = try await folder.start(["simulate", "bare", "--trace", "hour.csv", "--vary", "combine.ttl=3s"]).ran()
            let limit = try await folder.start(["simulate", "bare", "--trace", "hour.csv", "--vary", "combine.timeout=3s"]).ran()
            let ran = try await folder.start([
                "simulate", "home", "--trace", "hour.csv", "--order", "memory,combine", "--order", "combine", "--format", "csv",
            ]).ran()

            #expect(ran.status == 0, "\(ran.everything)")
            #expect(ttl.status == 64 && ttl.errors.contains("`combine` is an origin here, and has no `ttl`"), "\(ttl.errors)")
            #expect(limit.status == 64 && limit.errors.contains("write it below `tiers` to give it `timeout`"), "\(limit.errors)")
            #expect(ran.errors.contains("`combine` is played as one origin: its parts are not simulated"))
            #expect(!ran.everything.contains("engine alone"))
            #expect(
                ran.text.contains("\n\"memory,combine\",memory combine,600,558,") && ran.text.contains("\ncombine,combine,600,,600,"),
                "\(ran.text)")
        }

        @Test func `what has no effect is a warning`() async throws {
            let folder = try Self.folder(
                model:
                    "sources:\n  memory: { takes: 50ms, down: { from: 1s, for: 1s } }\n  api: { takes: 1ms, down: { from: 1s, for: 0s } }\n"
            )
            try folder.write(
                "pipeline.yaml",
                Self.config + """
                      home:
                        parameters: [user]
                        combine: { object: { friends: friends } }
                    """)

            let model = try await Self.simulate(folder, "--down", "memory@0s+1h", "--slow", "api@1s+1s")
            let home = try await folder.start(["simulate", "home", "--trace", "hour.csv", "--down", "api@0s+10s"]).ran()
            let checked = try await folder.run("validate", "pipeline.sim.yaml")

            let memory = "`takes`, `down` of `memory` have no effect: it is the real one, which answers at once and never fails"
            #expect(model.status == 0 && model.errors.contains("pipeline.sim.yaml:2:3: warning[P310]: \(memory)"), "\(model.errors)")
            #expect(model.errors.contains("warning: `--down memory@0s+1h` has no effect: it is the real one"))
            #expect(model.errors.contains("warning: the window `down` of `api` lasts no time") && !model.errors.contains("--slow"))
            #expect(
                home.errors.contains("`--down api@0s+10s` has no effect: `home` does not ask `api` itself, and its parts are not simulated")
            )
            #expect(home.errors.contains("warning: what the model says of `memory` has no effect: `home` does not ask it itself"))
            #expect(checked.status == 0 && checked.everything.contains(memory))
        }

        @Test func `a field is taken away with none, beside its values, and a trace of another pipeline is played`() async throws {
            let folder = try WorkFolder(Self.config.replacing("      - api\n", with: "      - api\n    stale_if_error: 1h\n"))
            func line(_ second: Int) -> String {
                #"{"t":\#(second * 1_000_000_000),"key":"people,id=1","policy":"default","outcome":"value","tiers":[]}"#
            }
            try folder.write("people.jsonl", (0..<60).map { line($0) + "\n" }.joined())
            func simulate(_ arguments: String...) async throws -> Ran {
                try await folder.start(["simulate", "friends", "--trace", "people.jsonl"] + arguments).ran()
            }

            let ran = try await simulate(
                "--from", "people", "--vary", "stale_if_error=none,1h", "--down", "api@5s+1h", "--objective", "max failed", "--format",
                "csv")
            let unnamed = try await simulate()
            let unknown = try await simulate("--from", "people", "--vary", "stale_if_eror=none")
            let needed = try await simulate("--from", "people", "--vary", "api.url=none")

            #expect(ran.status == 0, "\(ran.everything)")
            #expect(ran.text.contains("stale_if_error=none,") && ran.text.contains("stale_if_error=1h,"), "\(ran.text)")
            #expect(ran.errors.contains("best: stale_if_error=none"), "\(ran.errors)")
            #expect(ran.errors.contains("-    stale_if_error: 1h\n"), "\(ran.errors)")
            #expect(unnamed.status == 1 && unnamed.errors.contains("it has requests of `people`\n"), "\(unnamed.errors)")
            #expect(unnamed.errors.contains("help: `--from people` plays those through `friends`"), "\(unnamed.errors)")
            #expect(unknown.status == 64 && unknown.errors.contains("unknown field `stale_if_eror`"), "\(unknown.errors)")
            #expect(needed.status == 64 && needed.errors.contains("`--vary api.url=none`: "), "\(needed.errors)")
        }

        @Test func `a wrong variation, a model that is not there and a blank trace are said for what they are`() async throws {
            let folder = try Self.folder()
            try folder.write("blank.csv", "\n")
            try folder.write("one.csv", "time,key\n1,2\n")

            let field = try await Self.simulate(folder, "--vary", "memory.tll=1s")
            let value = try await Self.simulate(folder, "--vary", "memory.ttl=abc")
            let model = try await Self.simulate(folder, "--model", "nope.yaml")
            let blank = try await folder.start(["simulate", "friends", "--trace", "blank.csv"]).ran()
            let one = try await folder.start(["simulate", "friends", "--trace", "one.csv"]).ran()

            #expect(field.status == 64 && !field.errors.contains("pipeline.yaml:"), "\(field.errors)")
            #expect(field.errors.contains("`--vary memory.tll=1s`: unknown field `tll`") && field.errors.contains("did you mean `ttl`?"))
            #expect(value.status == 64 && value.errors.contains("`--vary memory.ttl=abc`: "), "\(value.errors)")
            #expect(model.status == 2 && model.errors.contains("cannot read `nope.yaml`: no such file"), "\(model.errors)")
            #expect(model.errors.contains("help: `--model FILE` names the model") && !model.errors.contains("-c FILE"))
            #expect(blank.status == 1 && blank.errors.contains("the trace `blank.csv` is empty"))
            #expect(one.text.hasPrefix("friends: 1 request of 1 key in "), "\(one.text)")
        }

        @Test func `bad calls and models are said in words`() async throws {
            let folder = try Self.folder(model: "sources:\n  apo: { takes: 1ms }\n")

            let model = try await Self.simulate(folder)
            let window = try await Self.simulate(Self.folder(), "--down", "api")
            let field = try await Self.simulate(Self.folder(), "--vary", "disk.ttl=1s")
            let twice = try await Self.simulate(Self.folder(), "--vary", "memory.ttl=1s", "--vary", "memory.ttl=2s")
            let objective = try await Self.simulate(Self.folder(), "--objective", "p98 <= 1ms")

            #expect(model.status == 2 && model.errors.contains("pipeline.sim.yaml:2:3: error[P201]: undefined source `apo`"))
            #expect(window.status == 64 && window.errors.contains("`api` is no window"))
            #expect(field.status == 64 && field.errors.contains("has no source `disk`"))
            #expect(twice.status == 64 && twice.text.isEmpty && twice.errors.contains("`--vary memory.ttl` is given twice"))
            #expect(twice.errors.contains("`--vary memory.ttl=1s,2s`"), "\(twice.errors)")
            #expect(objective.status == 64 && objective.errors.contains("`p98` is no figure"))
        }

        @Test func `Ctrl-C prints what has been played, marked, and judges no objective`() async throws {
            let folder = try WorkFolder(Self.config.replacing("parameters: [user]", with: "parameters: [user]\n    deadline: 10s"))
            let lines = (0..<150_000).map { "\(Double($0) / 100),\($0 % 7)" }
            try folder.write("hour.csv", "time,key\n" + lines.joined(separator: "\n") + "\n")
            let process = try folder.start(
                ["simulate", "friends", "--trace", "hour.csv", "--objective", "min calls", "--vary", "memory.ttl=1s,2s"], output: .terminal)

            _ = try await blocking { try process.errors.first { $0.contains("1 of 2: memory.ttl=1s") ? true : nil } }
            process.send(SIGINT)
            let ran = try await process.ran()

            #expect(ran.status == 130)
            let text = process.errors.text
            // A machine that is busy with other tests may have played the first one to its end.
            let isFirst = text.contains("partial: 0 of 2 variants were played to the end")
            #expect(isFirst || text.contains("partial: 1 of 2 variants were played to the end"), "\(text)")
            #expect(
                !isFirst || text.contains("`memory.ttl=1s` is partial: ") && text.contains(" of 150,000 requests were played"), "\(text)")
            #expect(text.contains("the objective was not judged: the simulation was interrupted") && !text.contains("best: "))
        }

        @Test func `an objective of a figure that the model does not have is refused`() async throws {
            let cost = try await Self.simulate(Self.folder(), "--order", "memory,api", "--order", "api", "--objective", "min cost")
            let broken = try await Self.simulate(Self.folder(), "--objective", "min costs")
            let limits = try await Self.simulate(Self.folder(), "--vary", "memory.ttl=1s,5s,20s", "--objective", "p99<=50ms;hits>=90%")

            #expect(cost.status == 1 && cost.text.isEmpty)
            #expect(cost.errors.contains("no variant has a figure `cost`") && cost.errors.contains("`cost: 0.002/call`"))
            #expect(broken.status == 64)
            #expect(
                limits.status == 0 && limits.text.contains("meets the objective: memory.ttl=20s (p99 20.0 ms, hits 96.50%)"),
                "\(limits.text)")
        }

        @Test func `the edit is a diff as of fmt, also of a line that is new`() async throws {
            let folder = try Self.folder()

            let changed = try await Self.simulate(folder, "--vary", "memory.ttl=1s,20s", "--objective", "min calls")
            let added = try await Self.simulate(folder, "--vary", "friends_are=1", "--objective", "min calls")
            let policy = try await Self.simulate(folder, "--vary", "stale_if_error=1h", "--objective", "min calls")

            #expect(changed.text.contains("--- pipeline.yaml\n+++ pipeline.yaml\n@@ -5,5 +5,5 @@\n   friends:\n"), "\(changed.text)")
            #expect(added.status == 64)
            #expect(policy.text.contains("   friends:\n+    stale_if_error: 1h\n     parameters: [user]\n"), "\(policy.text)")
        }

        @Test func `orders are of the first file, and each further one is a variant`() async throws {
            let folder = try Self.folder()
            try folder.write("other.yaml", Self.config.replacing("ttl: 10s", with: "ttl: 20s"))
            try folder.write("third.yaml", Self.config.replacing("[user]", with: "[id]").replacing("{user}", with: "{id}"))

            let ran = try await Self.simulate(
                folder, "-c", "pipeline.yaml", "-c", "other.yaml", "--order", "memory,api", "--order", "api", "--format", "csv")
            let files = try await Self.simulate(folder, "-c", "pipeline.yaml", "-c", "other.yaml", "--format", "csv")
            let third = try await Self.simulate(folder, "-c", "pipeline.yaml", "-c", "third.yaml")

            func names(_ ran: Ran) -> [String] { ran.text.split(separator: "\n").dropFirst().map { String($0.prefix { $0 != "," }) } }
            #expect(ran.status == 0 && names(ran) == ["\"memory", "api", "other.yaml"], "\(ran.text)")
            #expect(names(files) == ["pipeline.yaml", "other.yaml"])
            #expect(third.status == 64)
            #expect(
                third.errors.contains(
                    "`friends` of `third.yaml` has other parameters (`id`) than that of `pipeline.yaml` (`user`): one trace cannot be played"
                ),
                "\(third.errors)")
        }

        @Test func `arguments fill parameters, and a trace without times is told with its rate`() async throws {
            let folder = try Self.folder()
            try folder.write(
                "city.yaml",
                Self.config.replacing("[user]", with: "[user, city]").replacing("{user}", with: "{user}/{city}"))
            try folder.write("keys.txt", "1\n2\n1\n")
            func city(_ arguments: String...) async throws -> Ran {
                try await folder.start(["simulate", "friends", "-c", "city.yaml", "--trace", "keys.txt"] + arguments).ran()
            }

            let filled = try await city("city=Berlin")
            let open = try await city()
            let unknown = try await city("citi=Berlin")
            let rate = try await city("city=Berlin", "--rate", "10/s")

            #expect(filled.status == 0 && filled.text.contains("3 requests of 2 keys"))
            #expect(filled.errors.contains("the trace has no times: its requests are played at 1000/s"))
            #expect(open.status == 1 && open.errors.contains("takes several parameters"))
            #expect(unknown.status == 64 && unknown.errors.contains("has no parameter `citi`") && unknown.errors.contains("`city`"))
            #expect(rate.status == 0 && rate.errors.isEmpty)
        }

        @Test func `bytes have a curve, too`() async throws {
            let ran = try await Self.simulate(Self.folder(), "--vary", "memory.max_bytes=1KiB,1MiB", "--format", "svg")

            #expect(ran.status == 0 && ran.text.contains("Answered by caches, by size in bytes") && ran.text.contains(">1MiB<"))
        }

        @Test func `models are validated, fixed and formatted as other files are`() async throws {
            let folder = try Self.folder(model: "sources:\n  apii: { takes: 1ms }\n  api: { take: 20ms }   \n")

            let validated = try await folder.run("validate", "pipeline.sim.yaml")
            let everything = try await folder.run("validate", ".")
            let fixed = try await folder.run("validate", "--fix", "pipeline.sim.yaml")
            let formatted = try await folder.run("fmt", "pipeline.sim.yaml")

            #expect(validated.status == 1 && validated.everything.contains("pipeline.sim.yaml:2:3: error[P201]: undefined source `apii`"))
            #expect(
                validated.everything.contains("unknown field `take` in a source of the model") && validated.everything.contains("`takes`"))
            #expect(everything.status == 1 && everything.everything.contains("pipeline.sim.yaml:2:3: error[P201]"))
            #expect(!everything.everything.contains("pipeline.sim.yaml:1"))
            #expect(fixed.everything.contains("fixed: unknown field `take`"), "\(fixed.everything)")
            #expect(formatted.status == 0 && folder.read("pipeline.sim.yaml")?.contains("api: { takes: 20ms }\n") == true)
        }

        @Test func `the picture is one SVG for light and dark`() async throws {
            let ran = try await Self.simulate(Self.folder(), "--vary", "memory.max_entries=1..8x2", "--format", "svg")

            #expect(ran.status == 0)
            #expect(ran.text.hasPrefix("<svg ") && ran.text.hasSuffix("</svg>\n"))
            #expect(ran.text.contains("prefers-color-scheme: dark") && ran.text.contains("Answered by caches, by size"))
        }
    }
}
