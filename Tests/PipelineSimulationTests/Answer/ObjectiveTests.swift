@testable import PipelineSimulation
import PipelineConfig
import Pipeline
import PipelineTesting
import PipelineYAML
import Testing

struct ObjectiveTests {
    private func counts(ttl: String, seeds: ClosedRange<UInt64> = 1...3) async throws -> [VariantCounts] {
        let trace = SimulatedTown.trace(seed: 4, requests: 4_000, keys: 200, every: 5)
        var counts: [VariantCounts] = []
        for seed in seeds {
            let pipeline = try SimulatedTown.pipeline(
                "{ source: memory, ttl: \(ttl) }, api", model: "sources:\n  api: { takes: { uniform: [10ms, 30ms] } }\n", seed: seed)
            counts.append(try await SimulatedTown.counts(pipeline, trace))
        }
        return counts
    }

    @Test
    func `The best variant keeps to the limits and has least of the goal`() async throws {
        let variants = [try await counts(ttl: "50ms"), try await counts(ttl: "2s"), try await counts(ttl: "20s")]
        let objective = try Objective("p99 <= 40ms; min calls")

        let choice = try #require(objective.choice(among: variants))

        #expect(choice.isMet && choice.best == 2 && choice.equals.isEmpty)
        #expect(choice.unbeaten.contains(2) && !choice.unbeaten.contains(0))
        let text = objective.text(choice, names: ["a", "b", "c"], counts: variants.map { $0[0] }) { _ in "edit\n" }
        #expect(text.hasPrefix("best: c (p99 ") && text.hasSuffix("edit\n"))
    }

    @Test
    func `Within the spread of the seeds there is no difference`() async throws {
        let variants = [try await counts(ttl: "2s", seeds: 1...3), try await counts(ttl: "2s", seeds: 2...4)]
        let objective = try Objective("min p99")

        let choice = try #require(objective.choice(among: variants))

        #expect(choice.equals.count == 1)
        let text = objective.text(choice, names: ["a", "b"], counts: variants.map { $0[0] }) { _ in "edit" }
        #expect(text.hasPrefix("no difference between ") && !text.contains("edit"), "\(text)")
    }

    @Test
    func `OS-18 When no variant meets the objective, the nearest is shown`() async throws {
        let variants = [try await counts(ttl: "50ms"), try await counts(ttl: "2s")]
        let objective = try Objective("hits >= 100%; p50 <= 1ms")

        let choice = try #require(objective.choice(among: variants))

        #expect(!choice.isMet && choice.best == 1)
        #expect(
            objective.text(choice, names: ["a", "b"], counts: variants.map { $0[0] }) { _ in "edit" }.hasPrefix(
                "none meets the objective; nearest: b"))
    }

    @Test(arguments: ["p99<=50ms; failed<=0.1%;min calls", " p99 <=50ms;failed  <= 0.1%\t; min\tcalls;"])
    func `An objective needs no spaces`(_ text: String) throws {
        let objective = try Objective(text)

        #expect(objective.limits.map(\.metric) == [.p99, .failed] && objective.limits.map(\.value) == [50e6, 0.001])
        #expect(objective.goal?.metric == .calls && objective.goal?.isLeast == true)
    }

    @Test
    func `Limits without a goal name all that meet them, and no edit`() async throws {
        let variants = [try await counts(ttl: "50ms"), try await counts(ttl: "2s"), try await counts(ttl: "20s")]
        let objective = try Objective("hits >= 50%")

        let choice = try #require(objective.choice(among: variants))

        let text = objective.text(choice, names: ["a", "b", "c"], counts: variants.map { $0[0] }) { _ in "edit" }
        #expect(text.hasPrefix("meets the objective: b (hits ") && text.contains("\nmeets the objective: c (hits "))
        #expect(!text.contains("difference") && !text.contains("edit") && !text.contains("objective: a"))
    }

    @Test
    func `A figure that no variant has is refused, before and after the play`() async throws {
        let pipeline = try SimulatedTown.pipeline("memory, api", model: "sources:\n  api: { takes: 1ms }\n")
        let variant = Variant("a", pipeline)
        let counts = [[try await SimulatedTown.counts(pipeline, SimulatedTown.trace([(0, 0), (1, 0)]))]]

        for text in ["min cost", "max cost", "cost <= 1", "min wrong"] {
            let objective = try Objective(text)
            #expect(throws: Objective.Problem.self) { try objective.check([variant]) }
            #expect(throws: Objective.Problem.self) { try objective.check(counts) }
        }
        try Objective("min calls").check([variant])
        try Objective("min calls").check(counts)
    }

    @Test(arguments: ["min cost", "max cost"])
    func `A variant without the figure of the goal is no best one`(_ text: String) async throws {
        let trace = SimulatedTown.trace([(0, 0), (1, 1)])
        let (without, with) = (
            try SimulatedTown.pipeline("memory, api"),
            try SimulatedTown.pipeline("memory, api", model: "sources:\n  api: { cost: 0.5/call }\n")
        )
        let variants = [[try await SimulatedTown.counts(without, trace)], [try await SimulatedTown.counts(with, trace)]]

        let choice = try #require(Objective(text).choice(among: variants))

        #expect(choice.best == 1 && choice.equals.isEmpty && choice.unbeaten == [1])
    }

    @Test
    func `Sizes of the curve are entries or bytes`() {
        #expect(Variation("memory.max_entries=10,20")?.size(of: "20") == 20)
        #expect(Variation("memory.max_bytes=1MiB,2MiB")?.size(of: "2MiB") == 2 << 20)
        #expect(Variation("memory.max_bytes=1000..4000x2")?.size(of: "2000") == 2_000)
        #expect(Variation("memory.ttl=1,2")?.size(of: "2") == nil)
    }

    @Test(arguments: ["", "p99 < 5ms", "p98 <= 5ms", "p99 <= 5", "min cost; min p99", "failed <= -1%", "min"])
    func `What is no objective is refused`(_ text: String) {
        #expect(throws: Objective.Problem.self) { try Objective(text) }
    }

    @Test
    func `Variations are lists or ranges with a factor`() {
        #expect(Variation("memory.ttl=10s,1m,10m")?.values == ["10s", "1m", "10m"])
        #expect(Variation("memory.max_entries=1000..9000×2")?.values == ["1000", "2000", "4000", "8000"])
        #expect(Variation("memory.max_entries=1..3x1.5")?.values == ["1", "2"])
        for text in ["memory.ttl", "=1", "a=", "a=1,,2", "a=1..5", "a=5..1x2", "a=1..5x1", "a=1..9223372036854775807x2"] {
            #expect(Variation(text) == nil)
        }
    }

    @Test(arguments: [
        ("memory.ttl", "{ source: memory, ttl: 1s }, api", "    tiers: [{ source: memory, ttl: 9s }, api]"),
        ("memory.ttl", "memory, api", "    tiers: [{ source: memory, ttl: 9s }, api]"),
        ("memory.jitter", "{ source: memory, ttl: 1s }, api", "    tiers: [{ jitter: 9s, source: memory, ttl: 1s }, api]"),
        ("memory.max_bytes", "memory, api", "  memory: { max_bytes: 9s, type: memory, max_entries: 100 }"),
        ("memory.max_entries", "memory, api", "  memory: { type: memory, max_entries: 9s }"),
        ("stale_if_error", "memory, api", "    stale_if_error: 9s"),
    ])
    func `A field gets another value, and all else stays`(_ field: String, _ tiers: String, _ line: String) throws {
        let file = SimulatedTown.file(tiers)
        let plan = file.report(plugins: SimulatedTown.plugins).plan

        let edited = try ConfigEdit.setting(field, to: "9s", in: file, pipeline: "friends", plan: plan)

        let lines = String(decoding: edited.text, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.contains(line))
    }

    @Test(arguments: [
        // Where a line is all of a field, it goes with its remarks; what stands above and below stays.
        ("memory.ttl", "[{ source: memory, ttl: 1s }, api]", "[{ source: memory, ttl: none }, api]"),
        ("write_back", "[memory, api]\n    write_back: none # why\n", "[memory, api]\n    write_back: none # why\n"),
        ("memory.jitter", "[{ source: memory, ttl: 1s, jitter: 5% }, api]", "[{ source: memory, ttl: 1s }, api]"),
        ("memory.jitter", "[{ jitter: 5%, source: memory }, api]", "[{ source: memory }, api]"),
        ("memory.jitter", "[memory, api]", "[memory, api]"),
        ("api.retry", "\n      - memory\n      - source: api\n        retry: { attempts: 2 }", "\n      - memory\n      - source: api\n"),
        ("api.retry", "\n      - retry: # twice\n          attempts: 2\n        source: api", "\n      - source: api"),
        (
            "stale_if_error", "[api]\n    # one\n    stale_if_error: 1h # two\n    # three\n    deadline: 9s",
            "[api]\n    # one\n    # three\n    deadline: 9s"
        ),
        ("description", "[api]\n    description: |\n      two\n      lines\n    deadline: 9s\n", "[api]\n    deadline: 9s\n"),
        ("deadline", "[api]\n    deadline: 9s", "[api]\n"),
    ])
    func `none takes a field away, and all else stays`(_ field: String, _ before: String, _ after: String) throws {
        func text(_ tiers: String) -> String { Self.sources + "pipelines:\n  friends:\n    tiers: " + tiers }
        let file = ConfigFile(text: Array(text(before).utf8), name: "pipeline.yaml")
        let report = file.report(plugins: SimulatedTown.plugins)
        #expect(report.diagnostics.filter { $0.severity == .error }.map(\.message) == [])

        let edited = try ConfigEdit.setting(field, to: "none", in: file, pipeline: "friends", plan: report.plan)

        #expect(String(decoding: edited.text, as: UTF8.self) == text(after))
    }

    @Test(arguments: [
        ("memory.max_entries", "sources:\n  memory: { type: memory, max_entries: 9 }\n", "sources:\n  memory: { type: memory }\n"),
        ("memory.max_entries", "sources:\n  memory:\n    max_entries: 9\n    type: memory\n", "sources:\n  memory:\n    type: memory\n"),
    ])
    func `none gives a source the default of its field`(_ field: String, _ before: String, _ after: String) throws {
        func text(_ sources: String) -> String { sources + "  api: { type: service }\npipelines: { friends: { tiers: [memory, api] } }\n" }
        let file = ConfigFile(text: Array(text(before).utf8), name: "pipeline.yaml")
        let plan = file.report(plugins: SimulatedTown.plugins).plan

        let edited = try ConfigEdit.setting(field, to: "none", in: file, pipeline: "friends", plan: plan)

        #expect(String(decoding: edited.text, as: UTF8.self) == text(after))
    }

    @Test(arguments: [
        "  others: { tiers: [&m { source: memory, jitter: 5% }, api] }\n  friends: { tiers: [{ <<: *m, ttl: 1s }, api] }\n",
        "  others: { tiers: [&m { source: memory, jitter: 5% }, api] }\n  friends: { tiers: [*m, api] }\n",
    ])
    func `A field that comes from elsewhere is not taken away, and the place is told`(_ pipelines: String) throws {
        let problem = #expect(throws: ConfigEdit.Problem.self) { try Self.vary("memory.jitter", pipelines, to: "none") }

        #expect(try #require(problem).description.hasPrefix("`jitter` at pipeline.yaml:5:42 is used by an alias or `<<`"), "\(pipelines)")
    }

    @Test(arguments: ["memory, { source: slow, timeout: 1s }", "memory, slow"])
    func `A field that a tier and its source can both have is the tier's`(_ tiers: String) throws {
        let slow = SourcePlugin(
            origin: "slow", summary: "", capabilities: [.neverMisses], fields: Field("timeout", default: Duration?.none, "Its own.")
        ) { _, _ in StubOrigin(clock: .system, answering: .error()) }
        let sources = SimulatedTown.sources + "  slow: { type: slow, timeout: 5s }\n"
        let file = SimulatedTown.file(tiers, sources: sources)
        let plan = file.report(plugins: SimulatedTown.plugins + [slow]).plan

        let edited = try ConfigEdit.setting("slow.timeout", to: "9s", in: file, pipeline: "friends", plan: plan)

        let text = String(decoding: edited.text, as: UTF8.self)
        #expect(text.contains("    tiers: [memory, { source: slow, timeout: 9s }]\n") && text.contains("{ type: slow, timeout: 5s }"))
    }

    private static let sources = """
        sources:
          memory: { type: memory, max_entries: 100 }
          api: { type: service }

        """

    private static func vary(_ field: String, _ pipelines: String, to value: String = "9s") throws -> String {
        let file = ConfigFile(text: Array((sources + "pipelines:\n" + pipelines).utf8), name: "pipeline.yaml")
        let report = file.report(plugins: SimulatedTown.plugins)
        #expect(report.diagnostics.filter { $0.severity == .error }.map(\.message) == [])
        let edited = try ConfigEdit.setting(field, to: value, in: file, pipeline: "friends", plan: report.plan)
        return String(decoding: edited.text.dropFirst(sources.utf8.count + "pipelines:\n".utf8.count), as: UTF8.self)
    }

    @Test(arguments: [
        ("tiers: [*m, api]", "tiers: [{ <<: *m, ttl: 9s }, api]"),
        ("tiers: [{ <<: *m }, api]", "tiers: [{ ttl: 9s, <<: *m }, api]"),
        ("tiers: [{ <<: *m, jitter: 5% }, api]", "tiers: [{ ttl: 9s, <<: *m, jitter: 5% }, api]"),
        ("tiers: [{ source: memory, ttl: *t }, api]", "tiers: [{ source: memory, ttl: 9s }, api]"),
        ("tiers: [{ source: *n, jitter: 5% }, api]", "tiers: [{ ttl: 9s, source: *n, jitter: 5% }, api]"),
        ("tiers: [*n, api]", "tiers: [{ source: *n, ttl: 9s }, api]"),
    ])
    func `A field that another pipeline shares by an alias or a merge is varied for the one pipeline`(
        _ tiers: String, _ expected: String
    ) throws {
        let others = "  others: { tiers: [&m { source: &n memory, ttl: &t 1s }, api] }\n"

        #expect(try Self.vary("memory.ttl", others + "  friends: { \(tiers) }\n") == others + "  friends: { \(expected) }\n")
    }

    @Test(arguments: [
        (
            "  others: { tiers: &all [{ source: memory, ttl: 1s }, api] }\n  friends: { tiers: *all }\n", "pipelines.others.tiers.0.ttl",
            "5:20"
        ),
        (
            "  friends: { tiers: [&m { source: memory, ttl: 1s }, api] }\n  others: { tiers: [*m, api] }\n",
            "pipelines.others.tiers.0.ttl", "5:22"
        ),
        (
            "  friends: { tiers: [&m { source: memory }, api] }\n  others: { tiers: [{ <<: *m }, api] }\n", "pipelines.others.tiers.0",
            "5:22"
        ),
        (
            "  friends: { tiers: [{ source: memory, ttl: &t 1s }, api] }\n  others: { tiers: [{ source: memory, ttl: *t }, api] }\n",
            "pipelines.others.tiers.0.ttl", "5:48"
        ),
        (
            "  others: &o { tiers: [{ source: memory, ttl: 1s }, api] }\n  friends: { <<: *o, description: mine }\n",
            "pipelines.others.tiers.0.ttl", "5:23"
        ),
    ])
    func `A field whose lines say something of another pipeline, too, is not varied, and the place is told`(
        _ pipelines: String, _ changed: String, _ place: String
    ) throws {
        let problem = #expect(throws: ConfigEdit.Problem.self) { try Self.vary("memory.ttl", pipelines) }

        let text = try #require(problem).description
        #expect(text.hasPrefix("`memory.ttl` of `friends` cannot be varied alone: `\(changed)` has"), "\(text)")
        #expect(text.hasSuffix("has it from the same lines, at pipeline.yaml:\(place)"), "\(text)")
    }
}
