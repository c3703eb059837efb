import PipelineTesting
import SourcesMemory
import TestSupport
import Testing

@testable import Pipeline

/// An answer that is equal to what a cache holds: its times are written, its payload is not.
@Suite struct RenewalTests {
    private static let netUnderneath = "tiers: [network, { source: disk, ttl: 3s }]"

    @Test func `in an outage a cache has what the origin confirmed last`() async throws {
        let scene = try Scene(Self.netUnderneath)
        var writes = [try await scene.fetch().writeTrace]
        scene.time.advance(by: .seconds(2))
        writes.append(try await scene.fetch().writeTrace)
        scene.network.fail()
        scene.time.advance(by: .milliseconds(1_500))

        let outcome = try await scene.fetch()
        scene.time.advance(by: .milliseconds(1_500))
        let late = try await scene.fetch()

        #expect(writes == ["disk: written", "disk: renewed"])
        #expect(outcome.trace == "network: error, disk: hit")
        #expect(outcome.age == .milliseconds(1_500) && outcome.freshFor == .milliseconds(1_500))
        #expect(late.trace == "network: error, disk: expired")
    }

    @Test func `the payload is written once, however often it is confirmed`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 3s }, network]")
        for _ in 0..<20 {
            try await scene.fetch()
            scene.time.advance(by: .seconds(1))
        }

        let payloads = scene.disk.calls.filter { if case .write = $0 { true } else { false } }
        #expect(payloads.count == 1)
        #expect(scene.disk.calls.contains { if case .renew = $0 { true } else { false } })
        #expect(scene.network.readCount > 5)
    }

    @Test func `what an origin gives counts from now, also where it was created long ago, as a file says`() async throws {
        let scene = try Scene(Self.netUnderneath)
        scene.network.answers(.entry(Entry(Array("[1]".utf8), created: scene.time.now - .seconds(3_600))))
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        let second = try await scene.fetch()
        scene.network.fail()
        scene.time.advance(by: .milliseconds(1_500))

        #expect(second.writeTrace == "disk: renewed")
        #expect(try await scene.fetch().trace == "network: error, disk: hit")
    }

    @Test func `a copy that only comes from another cache renews nothing that is fresh`() async throws {
        let scene = try Scene("write_back: { disk: [memory], network: [disk] }\ntiers: [disk, { source: memory, ttl: 1h }, network]")
        try await scene.fetch()
        var traces: [String] = []
        for _ in 0..<3 {
            traces.append(try await scene.fetch().writeTrace)
            scene.time.advance(by: .seconds(1))
        }

        #expect(traces == ["memory: written", "memory: unchanged", "memory: unchanged"])
    }

    @Test func `an answer that was not modified counts the same`() async throws {
        let scene = try Scene("tiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 3s }, network]")
        scene.network.answers(.value("[1]", etag: "\"a\""))
        try await scene.fetch()
        scene.time.advance(by: .seconds(4))

        let outcome = try await scene.fetch()

        #expect(scene.network.notModifiedCount == 1)
        #expect(outcome.writeTrace == "memory: renewed, disk: renewed")
        #expect(scene.disk[scene.key]?.created == scene.time.now)
        #expect(scene.disk[scene.key]?.etag == "\"a\"")
    }

    @Test func `a value with another etag is written whole`() async throws {
        let scene = try Scene(Self.netUnderneath)
        scene.network.answers(.value("[1]", etag: "\"a\""), .value("[1]", etag: "\"b\""))
        try await scene.fetch()
        scene.time.advance(by: .seconds(1))

        #expect(try await scene.fetch().writeTrace == "disk: written")
        #expect(scene.disk[scene.key]?.etag == "\"b\"")
    }

    @Test func `a refresh in the background renews caches that it did not ask`() async throws {
        let scene = try Scene(
            "stale_while_revalidate: 1h\ntiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 1m, read: false }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        scene.disk.forgetCalls()

        #expect(try await scene.fetch().isStale)
        await scene.friends.finishRefreshes()
        await scene.pipelines.flush()

        #expect(scene.disk.calls.map(\.description) == ["read friends,user=42", "renew friends,user=42"])
        #expect(scene.disk[scene.key]?.created == scene.time.now)
        #expect(try await scene.fetch().trace == "memory: hit")
    }

    @Test func `what an origin knows to be missing is renewed, too`() async throws {
        let scene = try Scene("not_found_ttl: 5s\ntiers: [network, memory]")
        scene.network.answers(.notFound)
        try await scene.fetch()
        scene.time.advance(by: .seconds(3))
        let second = try await scene.fetch()
        scene.network.fail()
        scene.time.advance(by: .seconds(3))

        #expect(second.writeTrace == "memory: renewed")
        #expect(try await scene.fetch().trace == "network: error, memory: not_found")
    }

    @Test func `another value that came in between is not given these times`() async throws {
        let scene = try Scene("tiers: [{ source: disk, ttl: 1s }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        let gate = Gate()
        scene.disk.delay(.writes, until: gate)
        let outcome = try await scene.friends.fetch(scene.key)
        await scene.disk.begun(.writes, atLeast: 2)

        scene.disk.hold("[\"other hands\"]", for: scene.key)
        gate.open()
        try await outcome.waitForWrites()

        #expect(outcome.writeTrace == "disk: written")
        #expect(scene.diskText == "[\"v1\"]")
    }

    @Test func `a copy that was removed meanwhile does not come back`() async throws {
        let scene = try Scene(Self.netUnderneath)
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        let gate = Gate()
        scene.disk.delay(.reads, until: gate)
        let outcome = try await scene.friends.fetch(scene.key)
        await scene.disk.begun(.reads, atLeast: 1)

        let before = scene.friends.generations.permit(for: scene.key)
        async let report = scene.friends.remove(scene.key)
        try await yieldUntil { !before.isCurrent }
        gate.open()
        _ = try await report
        try await outcome.waitForWrites()

        #expect(scene.disk[scene.key] == nil)
    }

    @Test func `a renewal that fails is a write that failed`() async throws {
        let scene = try Scene(Self.netUnderneath)
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        scene.disk.fail(.writes, with: SourceError("no space left"))

        let outcome = try await scene.fetch()

        #expect(outcome.writes.map { "\($0)" } == ["disk: failed (no space left)"])
        #expect(outcome.text == "[\"v1\"]")
    }

    @Test func `a debounced copy is renewed when its turn comes`() async throws {
        let scene = try Scene("tiers: [network, { source: disk, ttl: 1m, debounce: 1s }]")
        try await scene.fetch()
        await scene.pipelines.flush()
        scene.time.advance(by: .seconds(10))

        let outcome = try await scene.fetch()
        let confirmed = scene.time.now
        await scene.pipelines.flush()

        #expect(outcome.writeTrace == "disk: renewed")
        #expect(scene.disk[scene.key]?.created == confirmed)
    }

    @Test func `what is put is written, also where it is equal`() async throws {
        let scene = try Scene("tiers: [memory, disk, network]")
        let put = try await scene.friends.put(Array("[1]".utf8), for: scene.key)
        scene.time.advance(by: .seconds(1))
        try await put.waitForWrites()

        let again = try await scene.friends.put(Array("[1]".utf8), for: scene.key)
        try await again.waitForWrites()

        #expect(again.writes.map { "\($0)" } == ["memory: written", "disk: written"])
    }
}
