import PipelineConfig
import PipelineTesting
import Testing

@testable import Pipeline

/// A default that is given when nothing else is to be had, and that never takes the place of what an origin gave.
@Suite struct LastResortTests {
    private static let tiers = "tiers: [{ source: disk, ttl: 1s }, network, builtin]"

    /// A scene with a source `builtin`, which always answers, and `shipped`, which may miss.
    private static func scene(_ pipeline: String) throws -> (scene: Scene, builtin: StubOrigin, shipped: StubOrigin) {
        let clock = ManualClock().clock
        let (builtin, shipped) = (StubOrigin("builtin", clock: clock), StubOrigin("shipped", clock: clock))
        builtin.answers("[\"default\"]")
        shipped.answers("[\"shipped\"]")
        let plugins = [
            SourcePlugin("stub_builtin", summary: "", capabilities: [.alwaysAnswers, .neverMisses]) { _ in builtin },
            SourcePlugin("stub_shipped", summary: "") { _ in shipped },
        ]
        let sources = "builtin: { type: stub_builtin }\nshipped: { type: stub_shipped }"
        return (try Scene(pipeline, extra: plugins, sources: sources), builtin, shipped)
    }

    @Test func `a stale copy goes before the default, and stays after it`() async throws {
        let (scene, builtin, _) = try Self.scene("stale_if_error: 10s\n\(Self.tiers)")
        try await scene.fetch()
        scene.network.fail()
        scene.time.advance(by: .milliseconds(1_300))

        let stale = try await scene.fetch()
        let callsBefore = builtin.readCount
        scene.time.advance(by: .seconds(11))
        let byDefault = try await scene.fetch()

        #expect(stale.isStale && stale.text == "[\"v1\"]")
        #expect(callsBefore == 0)
        #expect(byDefault.trace == "disk: expired, network: error, builtin: hit")
        #expect(byDefault.text == "[\"default\"]" && !byDefault.isStale && byDefault.writes.isEmpty)
        #expect(scene.diskText == "[\"v1\"]")
    }

    @Test func `a fresh answer comes again as soon as the origin has one`() async throws {
        let (scene, _, _) = try Self.scene("stale_if_error: 10s\n\(Self.tiers)")
        scene.network.fail()
        let first = try await scene.fetch()
        scene.network.recover()

        let second = try await scene.fetch()

        #expect(first.text == "[\"default\"]" && scene.diskText == "[\"v1\"]")
        #expect(second.trace == "disk: miss, network: hit")
        #expect(second.text == "[\"v1\"]")
    }

    @Test func `a refresh in the background that fails leaves the copy`() async throws {
        let (scene, _, _) = try Self.scene("stale_while_revalidate: 1h\n\(Self.tiers)")
        try await scene.fetch()
        scene.network.fail()
        scene.time.advance(by: .seconds(2))

        let outcome = try await scene.fetch()
        await scene.friends.finishRefreshes()
        await scene.pipelines.flush()

        #expect(outcome.isStale && outcome.text == "[\"v1\"]")
        #expect(scene.diskText == "[\"v1\"]")
    }

    @Test func `write_back can name it`() async throws {
        let (scene, _, _) = try Self.scene("write_back: { network: [disk], builtin: [disk] }\n\(Self.tiers)")
        scene.network.fail()

        #expect(try await scene.fetch().writeTrace == "disk: written")
        #expect(scene.diskText == "[\"default\"]")
    }

    @Test func `a tier can say that it is none`() async throws {
        let (scene, _, _) = try Self.scene("tiers: [{ source: disk, ttl: 1s }, network, { source: builtin, last_resort: false }]")
        scene.network.fail()

        #expect(try await scene.fetch().writeTrace == "disk: written")
    }

    @Test func `a source that may miss can be marked, and is asked after those below it`() async throws {
        let (scene, _, shipped) = try Self.scene(
            "stale_if_error: 10s\ntiers: [{ source: shipped, last_resort: true }, { source: disk, ttl: 1s }, network]")
        let first = try await scene.fetch()
        scene.network.fail()
        scene.time.advance(by: .seconds(30))

        let second = try await scene.fetch()
        shipped.answers(.miss)
        let third = try await scene.fetch()

        #expect(first.trace == "disk: miss, network: hit")
        #expect(second.trace == "disk: expired, network: error, shipped: hit")
        #expect(scene.diskText == "[\"v1\"]")
        #expect(third.trace == "disk: expired, network: error, shipped: miss")
        #expect(third.failure?.kind == .everyTierFailed)
    }

    @Test func `what an origin says to be missing is missing`() async throws {
        let (scene, builtin, _) = try Self.scene(Self.tiers)
        scene.network.answers(.notFound)

        #expect(try await scene.fetch().isNotFound)
        #expect(builtin.readCount == 0)
    }

    @Test func `without another origin above it, it is an origin like others`() async throws {
        let (scene, _, _) = try Self.scene("tiers: [{ source: disk, ttl: 1m }, builtin]")

        #expect(try await scene.fetch().writeTrace == "disk: written")
        for (order, isLast) in [(["network", "builtin"], [false, true]), (["builtin", "network"], [false, false])] {
            #expect(try scene.pipelines.pipeline(named: "friends", asking: order).plan.tiers.map(\.isLastResort) == isLast)
        }
    }
}
