import PipelineTesting
import PipelineYAML
import SourcesMemory
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// Pipelines made in Swift do what those of a file do.
@Suite struct SpecTests {
    /// Where the same two pipelines come from, which share memory and disk.
    enum Making: CaseIterable {
        case file
        case specs
    }

    /// Both pipelines over sources of their own.
    private struct House {
        let time = ManualClock()
        let disk: StubSource
        let network: StubOrigin
        let pipelines: Pipelines

        init(_ making: Making) throws {
            let (disk, network) = (StubSource("disk", clock: time.clock), StubOrigin("network", clock: time.clock))
            (self.disk, self.network) = (disk, network)
            pipelines =
                switch making {
                case .file: try House.fromFile(disk, network, time.clock)
                case .specs: try House.fromSpecs(disk, network, time.clock)
                }
        }

        private static func fromFile(_ disk: StubSource, _ network: StubOrigin, _ clock: PipelineClock) throws -> Pipelines {
            let text = """
                sources:
                  memory: { type: memory }
                  disk: { type: stub_disk }
                  network: { type: stub_network }
                  builtin: { type: stub_builtin }
                pipelines:
                  friends:
                    parameters: { user: { default: me } }
                    stale_while_revalidate: 5s
                    stale_if_error: 1h
                    not_found_ttl: 3s
                    refresh_ahead: 0.5
                    tiers:
                      - { source: memory, ttl: 10s }
                      - { source: disk, ttl: 60s, debounce: 1s }
                      - network
                      - { source: builtin, last_resort: true }
                  family:
                    write_back: { network: [disk] }
                    tiers: [{ source: memory, ttl: 10s }, { source: disk, ttl: 60s, debounce: 1s }, network]
                """
            let report = ConfigFile(text: Array(text.utf8), name: "house.yaml").report(
                plugins: [
                    .memory,
                    SourcePlugin(cache: "stub_disk", summary: "", capabilities: [.keepsMetadata]) { _ in disk },
                    SourcePlugin(origin: "stub_network", summary: "", capabilities: [.neverMisses]) { _ in network },
                    SourcePlugin(origin: "stub_builtin", summary: "", capabilities: [.neverMisses]) { Builtin(clock: $0.clock) },
                ], environment: ConfigEnvironment([:]))
            return try Pipelines(report, clock: clock)
        }

        private static func fromSpecs(_ disk: StubSource, _ network: StubOrigin, _ clock: PipelineClock) throws -> Pipelines {
            let memory = SourceSpec("memory", MemorySource(), capabilities: [.keepsNotFound])
            let (disk, network) = (SourceSpec("disk", disk), SourceSpec("network", network))
            let builtin = SourceSpec("builtin", Builtin(clock: clock))
            var slowly = TierPolicy(ttl: .seconds(60))
            slowly.debounce = .seconds(1)
            var last = TierPolicy()
            last.lastResort = true
            var friends = PipelineSpec(
                "friends", parameters: [ParameterSpec("user", default: "me")],
                tiers: [TierSpec(memory, ttl: .seconds(10)), TierSpec(disk, slowly), TierSpec(network), TierSpec(builtin, last)])
            friends.policy.staleWhileRevalidate = .seconds(5)
            friends.policy.staleIfError = .seconds(3_600)
            friends.policy.notFoundTTL = .seconds(3)
            friends.policy.refreshAhead = 0.5
            var family = PipelineSpec(
                "family", tiers: [TierSpec(memory, ttl: .seconds(10)), TierSpec(disk, slowly), TierSpec(network)])
            family.policy.writeBack = .routes(["network": ["disk"]])
            return try Pipelines([friends, family], clock: clock)
        }
    }

    /// A default that a pipeline has when nothing else can be had.
    private struct Builtin: Source {
        let clock: PipelineClock

        func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { Entry(Array("[\"builtin\"]".utf8), created: clock.now) }
    }

    /// What each step of one scenario came to.
    private static func lines(_ making: Making) async throws -> [String] {
        let house = try House(making)
        let (friends, family) = (try house.pipelines.pipeline(named: "friends"), try house.pipelines.pipeline(named: "family"))
        var lines: [String] = []
        func fetch(_ pipeline: DataPipeline, _ arguments: [String: String] = [:], _ policy: FetchPolicy = .default) async throws {
            let outcome = try await pipeline.fetch(arguments, policy: policy)
            try await outcome.waitForWrites()
            await pipeline.finishRefreshes()
            lines.append(
                "\(outcome.key) \(outcome.text ?? (outcome.isNotFound ? "not found" : "failed")) | \(outcome.trace) | \(outcome.writeTrace)"
                    + " | \(outcome.age.map { "\($0)" } ?? "-") \(outcome.freshFor.map { "\($0)" } ?? "-") \(outcome.staleReason ?? "")")
        }

        house.network.answers("[\"v1\"]")
        try await fetch(friends)
        try await fetch(friends, ["user": "42"])
        try await fetch(family)
        try await fetch(family)
        await house.time.sleepers(atLeast: 1)
        house.time.advance(by: .seconds(1))
        await house.pipelines.flush()
        lines.append("disk: \(house.disk.contents.keys.map(\.text).sorted())")
        // Due for refresh, then stale while it is refreshed.
        house.network.answers("[\"v2\"]")
        house.time.advance(by: .seconds(5))
        try await fetch(friends)
        try await fetch(friends)
        house.time.advance(by: .seconds(6))
        // A fresh copy below would win over the stale one.
        house.disk.fail(.reads)
        try await fetch(friends, ["user": "42"])
        house.disk.recover(.reads)
        // The origin is away: a stale copy, and then, without one, the last resort.
        house.network.answers(.error(SourceError("down")))
        house.time.advance(by: .seconds(120))
        try await fetch(friends)
        try await fetch(friends)
        try await fetch(friends, ["user": "7"])
        // Removed, put, and not there.
        let report = try await friends.remove(["user": "me"])
        lines.append("removed: \(report.lines.map { "\($0.source) \($0.failure ?? "done")" }.sorted())")
        let put = try await friends.put(Array("[\"put\"]".utf8), for: friends.key())
        lines.append("put: \(put.writes.map { "\($0.source): \($0.outcome.rawValue)" }.sorted())")
        try await fetch(friends)
        house.network.answers(.notFound)
        try await fetch(friends, ["user": "9"])
        try await fetch(friends, ["user": "9"])
        try await fetch(friends, [:], .cacheOnly)
        lines.append("asked: \(house.network.count(of: .reads))")
        lines.append("unwritten: \(await house.pipelines.shutDown().flatMap(\.keys).map(\.text).sorted())")
        lines.append("disk: \(house.disk.contents.keys.map(\.text).sorted())")
        await #expect(throws: ShutDownError.self) { try await friends.fetch() }
        return lines
    }

    @Test func `one scenario comes to the same from a file and from specs`() async throws {
        let (file, specs) = (try await Self.lines(.file), try await Self.lines(.specs))

        for (index, line) in file.enumerated() { #expect(specs[index] == line) }
        #expect(specs.count == file.count)
        // Not two times nothing.
        #expect(file.contains { $0.contains("[\"builtin\"]") && $0.contains("builtin: hit") })
        #expect(file.contains { $0.contains("within stale_if_error") })
        #expect(file.contains { $0.contains("within stale_while_revalidate") })
    }

    @Test(arguments: [(20, 1), (.infinity, 1), (-1, 0), (.nan, 0), (0.2, 0.2)] as [(Double, Double)])
    func `a part of 1 beyond its range is the end of it`(part: Double, kept: Double) {
        #expect(TierPolicy(jitter: part).jitter == kept)
        #expect(PipelinePolicy(refreshAhead: part).refreshAhead == kept)
    }

    @Test func `what a spec names twice or in vain is wrong usage`() {
        let memory = SourceSpec("memory", MemorySource())
        let other = SourceSpec("memory", MemorySource())
        let spec = PipelineSpec("friends", tiers: [TierSpec(memory)])
        var routed = spec
        routed.policy.writeBack = .routes(["memory": ["nowhere"]])
        let wrong: [[PipelineSpec]] = [
            [spec, spec], [spec, PipelineSpec("family", tiers: [TierSpec(other)])], [PipelineSpec("friends", tiers: [])],
            [PipelineSpec("friends", tiers: [TierSpec(memory), TierSpec(memory)])],
            [PipelineSpec("friends", parameters: ["user", "user"], tiers: [TierSpec(memory)])], [routed],
        ]

        for specs in wrong { #expect(throws: UsageError.self) { try Pipelines(specs) } }
    }

    @Test func `two caches under one name, or one that is also read only, are wrong usage`() throws {
        let time = ManualClock()
        let (one, other) = (StubSource("disk", clock: time.clock), StubSource("disk", clock: time.clock))
        let folder = SourceSpec("disk", StubReading.onThread.source(one))
        func pipelines(_ first: SourceSpec, _ second: SourceSpec) throws {
            _ = try Pipelines([PipelineSpec("friends", tiers: [TierSpec(first)]), PipelineSpec("family", tiers: [TierSpec(second)])])
        }

        try pipelines(folder, folder)
        try pipelines(SourceSpec("disk", one), SourceSpec("disk", one))
        #expect(throws: UsageError.self) { try pipelines(folder, SourceSpec("disk", StubReading.onThread.source(other))) }
        #expect(throws: UsageError.self) { try pipelines(SourceSpec("disk", one), SourceSpec("disk", one, isReadOnly: true)) }
    }
}
