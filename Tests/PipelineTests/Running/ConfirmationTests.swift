import PipelineTesting
import SourcesMemory
import TestSupport
import Testing

@testable import Pipeline

/// Copies of a process's own that may have missed an invalidation message.
@Suite struct ConfirmationTests {
    @Test func `a copy of an earlier run is expired until it has been confirmed once`() async throws {
        let town = Town(publishes: true)
        let disk = StubSource("disk", clock: town.time.clock)
        try await town.process(disk: disk).fetch()
        town.time.advance(by: .seconds(1))
        let process = try town.process(disk: disk)
        await process.subscribe()

        let outcome = try await process.fetch()

        #expect(outcome.trace == "memory: miss, disk: expired, shared: hit")
        #expect(outcome.attempts[1].reason == "stored before this process subscribed")
        #expect(outcome.writeTrace == "memory: written, disk: renewed")
        #expect(disk[town.key]?.stored == town.time.now)
        _ = try await process.memory.remove(town.key)
        #expect(try await process.fetch().trace == "memory: miss, disk: hit")
        #expect(town.network.readCount == 1)
    }

    @Test func `so is an equal copy that a fetch did not ask for`() async throws {
        let town = Town("tiers: [{ source: network, timeout: 1s }, { source: disk, ttl: 1h }, shared]", publishes: true)
        let disk = StubSource("disk", clock: town.time.clock)
        try await town.process(disk: disk).fetch()
        town.time.advance(by: .seconds(1))
        let process = try town.process(disk: disk)

        #expect(try await process.fetch().writeTrace == "disk: renewed, shared: renewed")
        #expect(try await process.fetch().writeTrace == "disk: unchanged, shared: unchanged")
    }

    @Test func `a lost and regained connection makes every copy expired`() async throws {
        let town = Town(publishes: true)
        let processes = try await town.processes(2)
        for process in processes { try await process.fetch() }
        town.server.loseConnections()
        town.network.answers("[\"v2\"]")
        _ = try await processes[0].friends.remove(town.key)
        try await processes[0].fetch()
        town.time.advance(by: .seconds(1))
        #expect(try await processes[1].fetch().text == "[\"v1\"]")

        town.server.regainConnections()
        await processes[1].receives(1)
        let outcome = try await processes[1].fetch()

        #expect(outcome.text == "[\"v2\"]")
        #expect(outcome.trace == "memory: expired, disk: expired, shared: hit")
        #expect(try await processes[1].fetch().trace == "memory: hit")
    }

    @Test func `while a source refuses to be listened to, every copy of a process's own is confirmed for each fetch`() async throws {
        let town = Town(publishes: true)
        let events = EventRecorder()
        let process = try town.process(observers: [events.observer])
        await process.subscribe()
        try await process.fetch()
        town.server.refuseSubscribers("not for you")
        await process.receives(1)

        let first = try await process.fetch()
        town.time.advance(by: .seconds(1))
        let second = try await process.fetch()

        #expect(first.trace == "memory: expired, disk: expired, shared: hit")
        #expect(second.trace == "memory: expired, disk: expired, shared: hit")
        #expect(second.attempts[0].reason == "stored before this process subscribed")
        #expect(town.network.readCount == 1)

        town.time.advance(by: .seconds(1))
        town.server.regainConnections()
        await process.receives(2)
        #expect(try await process.fetch().trace == "memory: expired, disk: expired, shared: hit")
        #expect(try await process.fetch().trace == "memory: hit")
        #expect(events.lines.filter { $0.hasPrefix("listening") } == ["listening to shared: not for you", "listening to shared: began"])
    }

    @Test func `what was loading while a source refused is to be confirmed when it does no more`() async throws {
        let town = Town("tiers: [memory, network, shared]", publishes: true)
        let process = try await town.processes(1)[0]
        town.server.refuseSubscribers("not for you")
        await process.receives(1)
        let gate = Gate()
        town.network.answers(StubAnswer.value("[\"old\"]").after(gate), "[\"new\"]")
        async let loading = process.fetch()
        await town.network.reads(atLeast: 1)
        town.time.advance(by: .seconds(1))

        town.server.regainConnections()
        await process.receives(2)
        town.time.advance(by: .seconds(1))
        gate.open()

        #expect(try await loading.text == "[\"old\"]")
        #expect(try await process.fetch().text == "[\"new\"]")
    }

    @Test func `of two sources that refuse both are to be heard again`() {
        let confirmation = Confirmation(Timestamp(nanoseconds: 10))
        let copy = Entry([], created: Timestamp(nanoseconds: 20), stored: Timestamp(nanoseconds: 20))
        #expect(!confirmation.hides(copy))

        confirmation.lose("a", at: Timestamp(nanoseconds: 15))
        confirmation.lose("b", at: Timestamp(nanoseconds: 30))
        confirmation.raise(to: Timestamp(nanoseconds: 40), through: "a")
        #expect(confirmation.hides(copy))
        #expect(confirmation.limit(of: copy) == Timestamp(nanoseconds: 30))

        confirmation.raise(to: Timestamp(nanoseconds: 12), through: "b")
        #expect(confirmation.value == Timestamp(nanoseconds: 40))
    }

    @Test func `a copy that had expired before says so`() async throws {
        let town = Town("tiers: [{ source: memory, ttl: 10s }, shared, network]", publishes: true)
        let process = try await town.processes(1)[0]
        try await process.fetch()
        town.time.advance(by: .seconds(12))
        town.server.regainConnections()
        await process.receives(1)

        #expect(try await process.fetch().attempts[0].reason == "expired 2s ago")
    }

    @Test func `an unconfirmed copy is served stale while it is confirmed, and when no source can confirm it`() async throws {
        let town = Town(
            "tiers: [{ source: memory, ttl: 1h }, shared, network]\nstale_if_error: 10m\nstale_while_revalidate: 1m", publishes: true)
        let process = try await town.processes(1)[0]
        try await process.fetch()
        town.time.advance(by: .seconds(5))
        town.server.regainConnections()
        await process.receives(1)
        process.shared.fail()
        town.network.answers(.error())

        let first = try await process.fetch()
        await process.friends.finishRefreshes()
        town.time.advance(by: .seconds(61))
        let second = try await process.fetch()

        #expect(first.staleReason == "stored before this process subscribed, within stale_while_revalidate")
        #expect(second.staleReason == "stored before this process subscribed, within stale_if_error")
        #expect(second.text == "[\"v1\"]")
    }

    @Test func `an origin that can only confirms the copy`() async throws {
        let town = Town("tiers: [memory, shared, network]", publishes: true)
        let process = try await town.processes(1)[0]
        town.network.answers(.value("[1]", etag: "\"a\""))
        try await process.fetch()
        town.time.advance(by: .seconds(5))
        town.server.regainConnections()
        await process.receives(1)
        try await process.shared.remove(town.key)

        #expect(try await process.fetch().text == "[1]")
        #expect(town.network.notModifiedCount == 1)
        #expect(try await process.fetch().trace == "memory: hit")
    }

    @Test func `what was loading when the process began to listen is to be confirmed, too`() async throws {
        let town = Town(publishes: true)
        town.server.loseConnections()
        let process = try town.process()
        let gate = Gate()
        town.network.answers(StubAnswer.value("[\"old\"]").after(gate), "[\"new\"]")
        async let loading = process.fetch()
        await town.network.reads(atLeast: 1)
        try await yieldUntil { town.server.subscriberCount != 0 }
        town.time.advance(by: .seconds(1))

        town.server.regainConnections()
        await process.shared.receptions(atLeast: 1)
        town.time.advance(by: .seconds(1))
        gate.open()
        #expect(try await loading.writeTrace == "memory: written, disk: written, shared: written")

        #expect(try await process.fetch().trace == "memory: expired, disk: expired, shared: hit")
        #expect(try await process.fetch().trace == "memory: hit")
    }

    @Test func `a pipeline without a source that publishes has no time since when it is confirmed`() throws {
        let town = Town("tiers: [memory, network]", publishes: true)

        let process = try town.process()

        #expect(process.friends.invalidation.confirmation == nil)
    }

    @Test func `a fetch does not wait for the connection`() async throws {
        let town = Town(publishes: true)
        town.server.loseConnections()
        let process = try town.process()

        #expect(try await process.fetch().text == "[\"v1\"]")
        #expect(try await process.fetch().trace == "memory: hit")
    }
}
