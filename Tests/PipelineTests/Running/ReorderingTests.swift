import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline

/// A pipeline and the same in other orders: what makes copies and loads of one worthless does so for all.
@Suite struct ReorderingTests {
    @Test func `a load in another order is not joined after another process's invalidation message`() async throws {
        let town = Town(publishes: true)
        let processes = try await town.processes(2)
        let reordered = try processes[1].pipelines.pipeline(named: "friends", asking: ["memory", "network"])
        let gate = Gate()
        town.network.answers(StubAnswer.value("[\"old\"]").after(gate), "[\"new\"]")
        async let loading = reordered.fetch(town.key)
        await town.network.reads(atLeast: 1)

        _ = try await processes[0].friends.remove(town.key)
        await processes[1].receives(1)
        async let later = reordered.fetch(town.key)
        try await settled(reordered, town.key, asking: town.network)
        gate.open()

        #expect(try await later.text == "[\"new\"]")
        #expect(try await loading.text == "[\"old\"]")
        #expect(processes[1].memoryText == "[\"new\"]")
    }

    @Test(arguments: [false, true])
    func `a load in one order is not joined after a removal or a put in the other`(isPut: Bool) async throws {
        let scene = try Scene("tiers: [network, memory]")
        let reordered = try scene.pipelines.pipeline(named: "friends", asking: ["network", "disk"])
        for (here, there) in [(scene.friends, reordered), (reordered, scene.friends)] {
            scene.network.forgetCalls()
            let gate = Gate()
            scene.network.answers(StubAnswer.value("[\"old\"]").after(gate), "[\"new\"]")
            async let loading = there.fetch(scene.key)
            await scene.network.reads(atLeast: 1)

            if isPut { _ = try await here.put(Array("[1]".utf8), for: scene.key) } else { _ = try await here.remove(scene.key) }
            async let later = there.fetch(scene.key)
            try await settled(there, scene.key, asking: scene.network)
            gate.open()

            #expect(try await later.text == "[\"new\"]")
            #expect(try await loading.text == "[\"old\"]")
        }
    }

    @Test func `a cache that only another order has forgets what another process removed, also when that order is gone`() async throws {
        let town = Town("tiers: [memory, shared, network]", publishes: true)
        let processes = try await town.processes(2)
        do {
            let reordered = try processes[1].pipelines.pipeline(named: "friends", asking: ["disk", "network"])
            try await reordered.fetch(town.key).waitForWrites()
        }
        #expect(processes[1].diskText == "[\"v1\"]")

        _ = try await processes[0].friends.remove(town.key)
        await processes[1].receives(1)

        #expect(processes[1].diskText == nil)
    }

    @Test func `a cache that only another order has forgets what is removed`() async throws {
        let scene = try Scene("tiers: [memory, network]")
        try await scene.fetch()
        #expect(try await scene.friends.remove(scene.key).lines.map(\.source) == ["memory"])
        let reordered = try scene.pipelines.pipeline(named: "friends", asking: ["disk", "network"])
        try await reordered.fetch(scene.key).waitForWrites()
        try await scene.fetch()

        let report = try await scene.friends.remove(scene.key)
        #expect(report.lines.map(\.source) == ["disk", "memory"])
        #expect(scene.diskText == nil)
        try await scene.fetch()
        _ = try await reordered.clear()

        #expect(scene.memoryText == nil)
    }

    @Test func `a put leaves no older copy in a cache that only another order has`() async throws {
        let scene = try Scene("tiers: [memory, network]")
        let reordered = try scene.pipelines.pipeline(named: "friends", asking: ["disk", "network"])
        try await reordered.fetch(scene.key).waitForWrites()

        let put = try await scene.friends.put(Array("[1]".utf8), for: scene.key)
        try await put.waitForWrites()
        await scene.pipelines.flush()

        #expect(put.writes.map(\.description) == ["memory: written", "disk: skipped (not in this order, the old copy is removed)"])
        #expect(scene.diskText == nil)
        #expect(scene.memoryText == "[1]")
    }

    @Test func `an order with a source that publishes is subscribed to, though the pipeline has none`() async throws {
        let town = Town("tiers: [memory, network]", publishes: true)
        let processes = try await town.processes(2)
        let order = ["memory", "shared", "network"]
        let reordered = try processes.map { try $0.pipelines.pipeline(named: "friends", asking: order) }
        for pipeline in reordered { try await pipeline.fetch(town.key).waitForWrites() }
        town.time.advance(by: .seconds(1))
        // One that is made later has heard what the first one has.
        let again = try processes[1].pipelines.pipeline(named: "friends", asking: order)
        #expect(try await again.fetch(town.key).trace == "memory: hit")

        let report = try await reordered[0].remove(town.key)
        await processes[1].receives(1)

        #expect(report.isComplete)
        #expect(processes[0].published.count == 1)
        #expect(processes[1].memoryText == nil)
    }

    @Test func `an order with one more source that publishes trusts no copy of before`() async throws {
        let town = Town("tiers: [memory, network]", publishes: true)
        let process = try await town.processes(1)[0]
        try await process.fetch()
        town.time.advance(by: .seconds(1))

        let reordered = try process.pipelines.pipeline(named: "friends", asking: ["memory", "shared", "network"])

        #expect(try await reordered.fetch(town.key).trace == "memory: expired, shared: miss, network: hit")
    }

    @Test func `a pipeline trusts no copy that missed something through a source that only a later order brought`() async throws {
        let town = Town("tiers: [memory, network]", publishes: true)
        let process = try town.process()
        let reordered = try process.pipelines.pipeline(named: "friends", asking: ["memory", "shared", "network"])
        try await reordered.fetch(town.key).waitForWrites()
        await process.shared.receptions(atLeast: 1)
        town.time.advance(by: .seconds(1))
        try await reordered.fetch(town.key).waitForWrites()
        #expect(try await process.fetch().trace == "memory: hit")

        town.time.advance(by: .seconds(1))
        town.server.regainConnections()
        await process.shared.receptions(atLeast: 2)
        try await yieldUntil { process.friends.invalidation.confirmation?.value == town.time.now }

        #expect(try await process.fetch().trace == "memory: expired, network: hit")
    }

    @Test func `a fetch of the pipeline subscribes, too, once an order has a source that publishes`() async throws {
        let town = Town("tiers: [memory, network]", publishes: true)
        let process = try town.process()
        try await process.fetch()
        #expect(town.server.subscriberCount == 0)

        town.time.advance(by: .seconds(1))
        let reordered = try process.pipelines.pipeline(named: "friends", asking: ["memory", "shared", "network"])
        #expect(try await process.fetch().trace == "memory: expired, network: hit")
        await process.shared.receptions(atLeast: 1)

        #expect(town.server.subscriberCount == 1)
        withExtendedLifetime(reordered) {}
    }

    @Test func `an order that is no longer kept is forgotten`() async throws {
        let town = Town(publishes: true)
        let process = try await town.processes(1)[0]
        weak var last: DataPipeline?
        for _ in 0..<20 {
            let reordered = try process.pipelines.pipeline(named: "friends", asking: ["shared", "disk", "network"])
            try await reordered.fetch(town.key).waitForWrites()
            _ = try await reordered.remove(town.key)
            last = reordered
        }
        await process.pipelines.flush()
        await process.friends.finishRefreshes()

        try await yieldUntil { last == nil }
        #expect(process.friends.invalidation.memberCount == 1)
        #expect(try await process.friends.remove(town.key).lines.map(\.source) == ["shared", "disk", "memory"])
    }

    /// Returns when a second fetch has asked the origin, or has joined the load of the first.
    private func settled(_ pipeline: DataPipeline, _ key: Key, asking network: StubOrigin) async throws {
        try await yieldUntil { network.readCount >= 2 || pipeline.flights.contains { $0.waiterCount(of: key) >= 2 } }
    }
}
