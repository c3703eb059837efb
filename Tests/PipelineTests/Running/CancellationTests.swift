import PipelineTesting
import Testing

@testable import Pipeline

@Suite struct CancellationTests {
    @Test(arguments: [0, 3, 9])
    func `CA-01 one of ten that leaves, leaves at once and alone`(leaver: Int) async throws {
        let scene = try Scene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))
        var tasks: [Task<Outcome, any Error>] = []
        for number in 1...10 {
            tasks.append(Task { try await scene.friends.fetch(scene.key) })
            try await scene.waiters(number)
        }

        tasks[leaver].cancel()

        await #expect(throws: CancellationError.self) { try await tasks[leaver].value }
        #expect(scene.network.cancellationCount == 0)
        gate.open()
        for (number, task) in tasks.enumerated() where number != leaver {
            #expect(try await task.value.text == "[1]")
        }
        #expect(scene.network.readCount == 1)
    }

    @Test func `CA-02 when all leave, the load is cancelled and nothing is cached`() async throws {
        let scene = try Scene()
        scene.network.answers(.hanging)
        let tasks = (0..<3).map { _ in Task { try await scene.friends.fetch(scene.key) } }
        try await scene.waiters(3)
        await scene.network.reads(atLeast: 1)

        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        await scene.network.cancellations(atLeast: 1)

        #expect(scene.memoryText == nil)
        #expect(scene.disk.writeCount == 0)
        #expect(scene.friends.flights.allSatisfy { $0.count == 0 })
    }

    @Test func `CA-02 a fetch after all have left starts a new load`() async throws {
        let scene = try Scene("tiers: [network]")
        scene.network.answers(StubAnswer.hanging.ignoringCancellation(), "[2]")
        let first = Task { try await scene.friends.fetch(scene.key) }
        await scene.network.reads(atLeast: 1)

        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }

        #expect(try await scene.fetch().text == "[2]")
        #expect(scene.network.readCount == 2)
    }

    @Test func `CA-03 one who stays keeps the load alive`() async throws {
        let scene = try Scene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))
        let stays = Task { try await scene.friends.fetch(scene.key) }
        let leaves = (0..<5).map { _ in Task { try await scene.friends.fetch(scene.key) } }
        try await scene.waiters(6)

        for task in leaves { task.cancel() }
        for task in leaves { await #expect(throws: CancellationError.self) { try await task.value } }
        gate.open()

        #expect(try await stays.value.text == "[1]")
        #expect(scene.network.cancellationCount == 0)
    }

    @Test func `CA-06 cancelling is no tier's error`() async throws {
        let scene = try Scene("tiers: [{ source: network, circuit_breaker: { failures: 1, open_for: 1h } }]")
        scene.network.answers(.hanging, "[2]")
        let task = Task { try await scene.friends.fetch(scene.key) }
        await scene.network.reads(atLeast: 1)

        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }

        #expect(try await scene.fetch().trace == "network: hit")
    }

    @Test func `CA-08 a task that is cancelled already touches no tier`() async throws {
        let scene = try Scene()
        let gate = Gate()
        let task = Task {
            try? await gate.wait()
            return try await scene.friends.fetch(scene.key)
        }

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(scene.disk.calls.isEmpty)
        #expect(scene.network.calls.isEmpty)
    }
}
