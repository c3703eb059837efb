import PipelineConfig
import PipelineTesting
import Testing

@testable import Pipeline

/// What `on_not_found` makes of an origin's word that there is no value.
@Suite struct NotFoundPolicyTests {
    @Test func `with next, other tiers are asked, and the copies stay`() async throws {
        let shipped = StubOrigin("shipped", clock: ManualClock().clock)
        shipped.answers("[\"shipped\"]")
        let scene = try Scene(
            "not_found_ttl: 1m\nwrite_back: { network: [memory, disk] }\n"
                + "tiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 1s }, { source: network, on_not_found: next }, shipped]",
            extra: [SourcePlugin("stub_shipped", summary: "") { _ in shipped }], sources: "shipped: { type: stub_shipped }")
        try await scene.fetch()
        scene.network.answers(.notFound)
        scene.time.advance(by: .seconds(2))

        let outcome = try await scene.fetch()
        shipped.answers(.miss)
        let without = try await scene.fetch()

        #expect(outcome.trace == "memory: expired, disk: expired, network: not_found, shipped: hit")
        #expect(outcome.text == "[\"shipped\"]")
        #expect(without.isNotFound && without.writes.isEmpty && without.source == nil)
        #expect(scene.memoryText == "[\"v1\"]" && scene.diskText == "[\"v1\"]")
    }

    @Test func `with fail, a stale copy is served, and stays`() async throws {
        let scene = try Scene(
            "stale_if_error: 1h\nnot_found_ttl: 1m\ntiers: [{ source: memory, ttl: 1s }, { source: network, on_not_found: fail }]")
        try await scene.fetch()
        scene.network.answers(.notFound)
        scene.time.advance(by: .seconds(2))

        let outcome = try await scene.fetch()

        #expect(outcome.isStale && outcome.text == "[\"v1\"]")
        #expect(outcome.trace == "memory: stale, network: not_found")
        #expect(outcome.attempts.last?.reason == "on_not_found: fail, counts as an error")
        #expect(scene.memoryText == "[\"v1\"]")
    }

    @Test func `with fail and no copy, the fetch fails`() async throws {
        let scene = try Scene("not_found_ttl: 1m\ntiers: [memory, { source: network, on_not_found: fail }]")
        scene.network.answers(.notFound)

        let outcome = try await scene.fetch()

        #expect(outcome.failure?.kind == .everyTierFailed)
        #expect(outcome.writes.isEmpty && scene.memoryText == nil)
    }

    @Test func `with fail and on_error fail, nothing below is asked`() async throws {
        let scene = try Scene("tiers: [{ source: network, on_not_found: fail, on_error: fail }, disk]")
        scene.network.answers(.notFound)

        #expect(try await scene.fetch().failure?.kind == .tierFailed)
        #expect(scene.disk.readCount == 0)
    }

    @Test(arguments: ["next", "fail"]) func `no retry and no circuit takes it for a failure`(policy: String) async throws {
        let scene = try Scene(
            "tiers: [{ source: network, on_not_found: \(policy), retry: { attempts: 3, base: 1ms }, "
                + "circuit_breaker: { failures: 1, open_for: 1h } }]")
        scene.network.answers(.notFound)

        for _ in 0..<3 { _ = try await scene.fetch() }

        #expect(scene.network.readCount == 3)
    }
}
