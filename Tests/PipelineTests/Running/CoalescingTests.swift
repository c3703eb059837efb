import PipelineTesting
import PipelineYAML
import SourcesMemory
import TestSupport
import Testing

@testable import Pipeline
@testable import PipelineConfig

@Suite struct CoalescingTests {
    @Test(arguments: [10, 100, 1_000, 10_000])
    func `CO-01, CO-02, CO-17 fetches of one cold key make one call of each tier`(count: Int) async throws {
        let scene = try Scene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))

        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<count { group.addTask { try await scene.friends.fetch(scene.key) } }
            try await scene.waiters(count)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(outcomes.count == count)
        #expect(outcomes.allSatisfy { $0.text == "[1]" })
        #expect(scene.network.readCount == 1)
        #expect(scene.disk.readCount == 1)
        #expect(scene.friends.flights.allSatisfy { $0.count == 0 })
    }

    @Test func `CO-03 different keys load side by side`() async throws {
        let scene = try Scene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))

        async let one = scene.friends.fetch(["user": "1"])
        async let two = scene.friends.fetch(["user": "2"])
        await scene.network.reads(atLeast: 2)
        gate.open()

        _ = try await (one, two)
        #expect(scene.network.peakCount(of: .reads) == 2)
    }

    @Test func `CO-05, CO-06 all who wait share an error, and the next fetch tries again`() async throws {
        let scene = try Scene("tiers: [network]")
        let gate = Gate()
        scene.network.answers(StubAnswer.error(Broken()).after(gate), "[2]")

        let failures = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<10 { group.addTask { try await scene.friends.fetch(scene.key) } }
            try await scene.waiters(10)
            gate.open()
            return try await group.reduce(into: 0) { $0 += $1.failure == nil ? 0 : 1 }
        }

        #expect(failures == 10)
        #expect(scene.network.readCount == 1)
        #expect(try await scene.fetch().text == "[2]")
    }

    @Test func `CO-07 a source that throws CancellationError of its own is an error, and the key is free again`() async throws {
        let scene = try Scene("tiers: [network]")
        scene.network.answers(.error(CancellationError()), "[2]")

        let first = try await scene.fetch()
        let second = try await scene.fetch()

        #expect(first.trace == "network: error")
        #expect(second.text == "[2]")
    }

    @Test func `CO-10 a fetch and a refresh at once make one call of the origin`() async throws {
        let scene = try Scene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))

        async let fetched = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)
        async let refreshed = scene.friends.fetch(scene.key, policy: .refresh)
        try await scene.waiters(2)
        try await yieldUntil { scene.friends.flights[1].waiterCount(of: scene.key) >= 2 }
        gate.open()

        let outcomes = try await (fetched, refreshed)
        #expect(outcomes.0.text == "[1]")
        #expect(outcomes.1.text == "[1]")
        #expect(scene.network.readCount == 1)
    }

    @Test func `CO-11 what must not be stored loads on its own`() async throws {
        let scene = try Scene("tiers: [memory, network]")
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))

        async let stored = scene.friends.fetch(scene.key)
        async let unstored = scene.friends.fetch(scene.key, policy: .noStore)
        await scene.network.reads(atLeast: 2)
        gate.open()

        let outcomes = try await (stored, unstored)
        #expect(outcomes.0.writeTrace == "memory: written")
        #expect(outcomes.1.writes.isEmpty)
    }

    @Test func `CO-19 pipelines with the same arguments and sources neither wait for each other nor share copies`() async throws {
        let time = ManualClock()
        let origin = StubOrigin("api", clock: time.clock)
        let gate = Gate()
        origin.answers { key in key.pipeline == "slow" ? StubAnswer.value("[\"slow\"]").after(gate) : "[\"fast\"]" }
        let text = """
            sources: { memory: { type: memory }, api: { type: stub } }
            pipelines:
              slow: { parameters: [user], tiers: [memory, api] }
              fast: { parameters: [user], tiers: [memory, api] }
            """
        let report = ConfigFile(text: Array(text.utf8), name: "two.yaml").report(
            plugins: [.memory, SourcePlugin(origin: "stub", summary: "") { _ in origin }])
        let pipelines = try Pipelines(report, clock: time.clock)

        async let slow = pipelines.pipeline(named: "slow").fetch(["user": "42"])
        await origin.reads(atLeast: 1)
        let fast = try await pipelines.pipeline(named: "fast").fetch(["user": "42"])
        gate.open()

        #expect(fast.text == "[\"fast\"]")
        #expect(try await slow.text == "[\"slow\"]")
        #expect(try await pipelines.pipeline(named: "fast").fetch(["user": "42"]).trace == "memory: hit")
        #expect(try await pipelines.pipeline(named: "fast").fetch(["user": "42"]).text == "[\"fast\"]")
    }
}
