import PipelineTesting
import SourcesMemory
import TestSupport
import Testing

@testable import Pipeline

@Suite struct StaleWhileRevalidateTests {
    private static let tiers = "stale_while_revalidate: 10s\ntiers: [{ source: memory, ttl: 1s }, network]"

    @Test func `SW-01, SW-03 within the window the copy is served at once, and one refresh runs`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"v2\"]").after(gate))

        let first = try await scene.fetch()
        let second = try await scene.fetch()
        await scene.network.reads(atLeast: 2)
        gate.open()
        await scene.friends.finishRefreshes()
        let third = try await scene.fetch()

        for stale in [first, second] {
            #expect(stale.text == "[\"v1\"]")
            #expect(stale.staleReason == "expired 1s ago, within stale_while_revalidate")
            #expect(stale.trace == "memory: stale")
            #expect(stale.freshFor == .zero)
        }
        #expect(third.text == "[\"v2\"]")
        #expect(!third.isStale)
        #expect(scene.network.readCount == 2)
    }

    @Test func `CR-01 a refresh asks the origin only whether the copy still holds`() async throws {
        let scene = try Scene(Self.tiers)
        scene.network.answers(.value("[1]", etag: "\"a\""))
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))

        try await scene.fetch()
        await scene.friends.finishRefreshes()
        let fresh = try await scene.fetch()

        #expect(scene.network.notModifiedCount == 1)
        #expect(fresh.trace == "memory: hit")
        #expect(fresh.age == .zero)
    }

    @Test func `SW-02 beyond the window the caller waits`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()
        scene.network.answers("[\"v2\"]")

        scene.time.advance(by: .seconds(11))

        #expect(try await scene.fetch().trace == "memory: expired, network: hit")
    }

    @Test func `SW-04, SW-05 a refresh that fails leaves the copy, and the key can be refreshed again`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        scene.network.answers(.error(), "[\"v2\"]")

        let first = try await scene.fetch()
        await scene.friends.finishRefreshes()
        let second = try await scene.fetch()
        await scene.friends.finishRefreshes()

        #expect(first.text == "[\"v1\"]")
        #expect(second.text == "[\"v1\"]")
        #expect(try await scene.fetch().text == "[\"v2\"]")
    }

    @Test func `SW-07 a refresh that says gone removes the copy`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        scene.network.answers(.notFound)

        try await scene.fetch()
        await scene.friends.finishRefreshes()

        #expect(scene.memoryText == nil)
        #expect(try await scene.fetch().isNotFound)
    }

    @Test func `SW-09 a refresh refuses staleness for one call and waits`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        scene.network.answers("[\"v2\"]")

        let outcome = try await scene.fetch(.refresh)

        #expect(outcome.text == "[\"v2\"]")
    }

    @Test func `SW-10 a slow disk delays the stale answer by 10 ms at most`() async throws {
        let scene = try Scene("stale_while_revalidate: 10s\ntiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 1s }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        let gate = Gate()
        scene.disk.delay(.reads, until: gate)
        scene.disk.delay(.writes, until: gate)

        async let fetched = scene.friends.fetch(scene.key)
        await scene.disk.reads(atLeast: 2)
        scene.time.advance(by: .milliseconds(10))
        let outcome = try await fetched

        #expect(outcome.trace == "memory: stale")
        gate.open()
        await scene.friends.finishRefreshes()
    }

    @Test func `CA-05 the refresh goes on when the caller that started it is cancelled`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"v2\"]").after(gate))
        let caller = Task { try await scene.friends.fetch(scene.key) }
        _ = try await caller.value
        await scene.network.reads(atLeast: 2)

        caller.cancel()
        gate.open()
        await scene.friends.finishRefreshes()

        #expect(scene.memoryText == "[\"v2\"]")
    }

    @Test func `CO-15 a fetch beyond the window waits for the refresh that runs`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"v2\"]").after(gate))
        try await scene.fetch()
        await scene.network.reads(atLeast: 2)
        scene.time.advance(by: .seconds(20))

        async let late = scene.friends.fetch(scene.key)
        try await yieldUntil { scene.friends.flights[1].waiterCount(of: scene.key) >= 2 }
        gate.open()

        #expect(try await late.text == "[\"v2\"]")
        #expect(scene.network.readCount == 2)
    }
}

@Suite struct RefreshAheadTests {
    private static let tiers = "refresh_ahead: 0.2\ntiers: [{ source: memory, ttl: 2s }, network]"

    @Test func `ER-01 a read after the threshold gives the old value and starts one refresh`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()
        scene.network.answers("[\"v2\"]")

        scene.time.advance(by: .milliseconds(399))
        let before = try await scene.fetch()
        await scene.friends.finishRefreshes()
        scene.time.advance(by: .milliseconds(11))
        let at = try await scene.fetch()
        await scene.friends.finishRefreshes()
        let after = try await scene.fetch()

        #expect(before.text == "[\"v1\"]")
        #expect(at.text == "[\"v1\"]")
        #expect(!at.isStale)
        #expect(after.text == "[\"v2\"]")
        #expect(after.freshFor == .seconds(2))
        #expect(scene.network.readCount == 2)
    }

    @Test func `ER-01 the same value again gets a full ttl, too`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()

        scene.time.advance(by: .seconds(1))
        try await scene.fetch()
        await scene.friends.finishRefreshes()

        #expect(try await scene.fetch().freshFor == .seconds(2))
    }

    @Test func `ER-02 without a read after the threshold the copy just expires`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()

        scene.time.advance(by: .seconds(2))

        #expect(scene.network.readCount == 1)
        #expect(try await scene.fetch().trace == "memory: expired, network: hit")
    }

    @Test func `TT-05 a copy without a limit is never due`() async throws {
        let scene = try Scene("refresh_ahead: 0.2\ntiers: [memory, network]")
        try await scene.fetch()

        scene.time.advance(by: .seconds(1_000_000_000))
        let outcome = try await scene.fetch()

        #expect(outcome.trace == "memory: hit")
        #expect(outcome.freshFor == nil)
        #expect(scene.network.readCount == 1)
    }
}

@Suite struct StaleIfErrorTests {
    private static let tiers = "stale_if_error: 1h\ntiers: [{ source: memory, ttl: 1s }, network]"

    @Test func `FS-01 an expired copy is served when the load fails, marked stale`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()
        scene.time.advance(by: .seconds(6))
        scene.network.fail(.reads)

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.source == "memory")
        #expect(outcome.staleReason == "expired 5s ago, within stale_if_error")
        #expect(outcome.trace == "memory: stale, network: error")
        #expect(outcome.attempts[0].reason != nil)
    }

    @Test func `FS-02 without stale_if_error it is an error`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 1s }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(6))
        scene.network.fail(.reads)

        #expect(try await scene.fetch().failure != nil)
    }

    @Test func `beyond the window it is an error`() async throws {
        let scene = try Scene("stale_if_error: 10s\ntiers: [{ source: memory, ttl: 1s }, network]")
        try await scene.fetch()
        scene.network.fail(.reads)

        scene.time.advance(by: .milliseconds(10_999))
        #expect(try await scene.fetch().isStale)
        scene.time.advance(by: .milliseconds(1))
        #expect(try await scene.fetch().failure != nil)
    }

    @Test func `FS-04, TT-11 within a second of a failure the load is not tried again, then it is`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()
        scene.time.advance(by: .seconds(6))
        scene.network.fail(.reads)
        try await scene.fetch()

        scene.time.advance(by: .milliseconds(999))
        let during = try await scene.fetch()
        let callsDuring = scene.network.readCount
        scene.time.advance(by: .milliseconds(1))
        scene.network.recover()
        let after = try await scene.fetch()

        #expect(during.trace == "memory: stale, network: skipped")
        #expect(during.attempts[1].reason?.contains("not tried again") == true)
        #expect(callsDuring == 2)
        #expect(after.trace == "memory: expired, network: hit")
    }

    @Test func `FS-09 with the disk and the network down, memory serves its stale copy`() async throws {
        let scene = try Scene("stale_if_error: 1h\ntiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 1s }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        scene.disk.fail(.reads)
        scene.network.fail(.reads)

        let outcome = try await scene.fetch()

        #expect(outcome.source == "memory")
        #expect(outcome.trace == "memory: stale, disk: error, network: error")
    }

    @Test func `a copy is not served when the origin says that there is none`() async throws {
        let scene = try Scene(Self.tiers)
        try await scene.fetch()
        scene.time.advance(by: .seconds(6))
        scene.network.answers(.notFound)

        #expect(try await scene.fetch().isNotFound)
        #expect(scene.memoryText == nil)
    }

    @Test func `FS-14 after a clear there is nothing stale to serve`() async throws {
        let scene = try Scene("stale_if_error: 1h\ntiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 1s }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        scene.network.fail(.reads)

        let report = try await scene.friends.clear()

        #expect(report.isComplete)
        #expect(try await scene.fetch().failure != nil)
    }

    @Test func `AG-06 a promoted copy is servable as stale no longer than the copy it was made from`() async throws {
        let scene = try Scene("stale_if_error: 5s\ntiers: [{ source: memory, ttl: 1h }, { source: disk, ttl: 10s }, network]")
        try await scene.fetch()
        _ = try await scene.friends.remove(scene.key)
        scene.disk.hold("[0]", for: scene.key, freshFor: .seconds(10))
        scene.time.advance(by: .seconds(9))
        try await scene.fetch()
        scene.network.fail(.reads)
        scene.disk.fail(.reads)

        scene.time.advance(by: .milliseconds(5_999))
        #expect(try await scene.fetch().isStale)
        scene.time.advance(by: .milliseconds(1))
        #expect(try await scene.fetch().failure != nil)
    }
}
