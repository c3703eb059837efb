import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline

/// A cache that lets the load wait for its answer, and keeps the time limit of that by itself.
@Suite(.timeLimit(.minutes(15)))
struct PunctualFetchTests {
    private let gate = Gate()

    /// A cache above an origin, with memory before it. The cache holds `[1]`, and answers when the gate opens.
    private func place(_ pipeline: String = "tiers: [memory, { source: spot, ttl: 10s }, network]") throws -> Spot {
        let place = try Spot(pipeline, reading: .inTurn)
        place.spot.hold("[1]", for: place.scene.key)
        place.spot.delay(.reads, until: gate)
        return place
    }

    /// A fetch that waits for the cache, and so many that wait for it.
    private func crowd(
        of place: Spot, _ count: Int, leadingFor time: Duration? = nil, othersFor others: Duration? = nil
    ) async throws -> (leader: Task<Outcome, any Error>, others: [Task<Outcome, any Error>]) {
        let leader = place.fetch(timeout: time)
        await gate.waiters(atLeast: 1)
        let followers = (0..<count).map { _ in place.fetch(timeout: others) }
        try await place.scene.waiters(count + 1)
        return (leader, followers)
    }

    @Test(arguments: ["tiers: [memory, { source: spot, ttl: 10s }, network]", "tiers: [{ source: spot, ttl: 10s }, network]"])
    func `CO-02 who comes while it is asked shares its answer`(pipeline: String) async throws {
        let place = try place(pipeline)
        let (leader, others) = try await crowd(of: place, 3)

        gate.open()

        let outcome = try await leader.value
        #expect(outcome.text == "[1]")
        for other in others { #expect(try await other.value.trace == outcome.trace) }
        #expect(place.spot.readCount == 1)
        #expect(place.scene.network.readCount == 0)
        #expect(place.scene.friends.flights[0].count == 0)
        try await yieldUntil { place.scene.friends.generations.count == 0 }
    }

    @Test func `what it has is written to memory before the fetch returns`() async throws {
        let place = try place()
        gate.open()

        #expect(try await place.scene.friends.fetch(place.scene.key).trace == "memory: miss, spot: hit")

        #expect(place.scene.memoryText == "[1]")
    }

    @Test func `CA-01 who asks it leaves at once and alone`() async throws {
        let place = try place()
        let (leader, others) = try await crowd(of: place, 2)

        leader.cancel()

        await #expect(throws: CancellationError.self) { try await leader.value }
        gate.open()
        for other in others { #expect(try await other.value.text == "[1]") }
        #expect(place.spot.readCount == 1)
        #expect(place.scene.network.readCount == 0)
    }

    @Test func `TO-03 when who asks leaves, the time of the cache does not begin again`() async throws {
        let place = try place("tiers: [memory, { source: spot, ttl: 10s, timeout: 500ms }, network]")
        let (leader, others) = try await crowd(of: place, 1)
        place.scene.time.advance(by: .milliseconds(499))
        leader.cancel()

        place.scene.time.advance(by: .milliseconds(1))

        #expect(try await others[0].value.trace == "memory: miss, spot: timeout, network: hit")
        await #expect(throws: CancellationError.self) { try await leader.value }
    }

    @Test func `CA-01 one who waits beside leaves at once and alone`() async throws {
        let place = try place()
        let (leader, others) = try await crowd(of: place, 2)

        others[0].cancel()

        await #expect(throws: CancellationError.self) { try await others[0].value }
        gate.open()
        #expect(try await leader.value.text == "[1]")
        #expect(try await others[1].value.text == "[1]")
        #expect(place.spot.readCount == 1)
    }

    @Test func `CA-02 when all leave, the read is cancelled and no other tier is asked`() async throws {
        let place = try place()
        let (leader, others) = try await crowd(of: place, 2)

        for task in others + [leader] { task.cancel() }

        for task in others + [leader] { await #expect(throws: CancellationError.self) { try await task.value } }
        await place.spot.cancellations(atLeast: 1)
        #expect(place.spot.readCount == 1)
        #expect(place.scene.network.readCount == 0)
        #expect(place.scene.friends.flights[0].count == 0)
        try await yieldUntil { place.scene.friends.generations.count == 0 }
    }

    @Test func `SH-06 a shutdown ends the fetch at once, though the cache does not answer`() async throws {
        let place = try place()
        place.spot.delay(.reads, until: gate, ignoringCancellation: true)
        let (leader, others) = try await crowd(of: place, 2)

        await place.scene.pipelines.shutDown()

        for task in others + [leader] { await #expect(throws: ShutDownError.self) { try await task.value } }
        gate.open()
        await place.spot.finished(.reads, atLeast: 1)
        #expect(place.scene.memoryText == nil)
        #expect(place.scene.network.readCount == 0)
        #expect(place.scene.friends.flights[0].count == 0)
    }

    @Test func `TO-03 a cache that does not answer in its time is passed over`() async throws {
        let place = try place("tiers: [memory, { source: spot, ttl: 10s, timeout: 500ms }, network]")
        let (leader, others) = try await crowd(of: place, 1)

        place.scene.time.advance(by: .milliseconds(500))

        #expect(try await leader.value.trace == "memory: miss, spot: timeout, network: hit")
        #expect(try await others[0].value.text == "[\"v1\"]")
        await place.spot.cancellations(atLeast: 1)
    }

    @Test func `whose deadline comes first goes with it, and one who has more time begins anew`() async throws {
        let place = try place()
        let (leader, others) = try await crowd(of: place, 1, leadingFor: .seconds(1))

        place.scene.time.advance(by: .seconds(1))

        #expect(try await leader.value.failure?.kind == .deadlineExceeded)
        await place.spot.reads(atLeast: 2)
        gate.open()
        #expect(try await others[0].value.text == "[1]")
    }

    @Test func `who waits beside goes with a deadline of its own`() async throws {
        let place = try place()
        let (leader, others) = try await crowd(of: place, 1, othersFor: .seconds(1))

        place.scene.time.advance(by: .milliseconds(1_100))

        #expect(try await others[0].value.failure?.kind == .deadlineExceeded)
        gate.open()
        #expect(try await leader.value.text == "[1]")
        #expect(place.spot.readCount == 1)
    }

    @Test func `IN-01 what it has from before a removal is written nowhere, and no later fetch shares it`() async throws {
        let place = try place()
        // What was found before the removal is what the read comes to.
        place.spot.answersOnce(StubAnswer.value("[\"old\"]").after(gate))
        place.spot.stopDelaying(.reads)
        let leader = place.fetch()
        await gate.waiters(atLeast: 1)

        let removal = try await place.scene.friends.remove(place.scene.key)
        let late = try await place.fetch().value
        gate.open()

        #expect(removal.isComplete)
        #expect(try await leader.value.text == "[\"old\"]")
        #expect(late.text == "[\"v1\"]")
        #expect(place.scene.memoryText == "[\"v1\"]")
    }

    @Test func `another waiter is not held up by a busy actor that asks`() async throws {
        actor Busy {
            private let executor: HeldExecutor

            init(_ executor: HeldExecutor) { self.executor = executor }

            nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

            func fetch(in scene: Scene) async throws -> Outcome { try await scene.friends.fetch(scene.key) }
        }
        let place = try place("tiers: [{ source: spot, ttl: 10s }, network]")
        let executor = HeldExecutor()
        let leader = Task { try await Busy(executor).fetch(in: place.scene) }
        try await yieldUntil { executor.count != 0 }
        executor.run()
        await gate.waiters(atLeast: 1)
        let other = place.fetch()
        try await place.scene.waiters(2)

        gate.open()

        #expect(try await other.value.text == "[1]")
        try await yieldUntil { executor.count != 0 }
        executor.run()
        #expect(try await leader.value.text == "[1]")
    }
}
