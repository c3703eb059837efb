import PipelineComposing
import PipelineJSON
import PipelineLive
import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline

/// The load that an observer began ends with the last observer, as that of a fetch ends with the last fetch.
@Suite(.timeLimit(.minutes(15))) struct ObserverLeavingTests {
    /// The composite, by way of which the value `slow` hangs.
    enum Observed: String, CaseIterable {
        case value = "slow"
        case composite = "home"
        case nested = "outer"
        case links = "linked"
    }

    private func hanging() -> Combination {
        let screen = Combination()
        screen.part("slow").answers(.hanging, "1")
        screen.part("quick", #"{"by":1}"#, links: [LinkSpec("author", at: JSONPath(JSONPointer(tokens: ["by"])), pipeline: "author")])
        screen.part("author", parameters: ["id"]).answers(.hanging, "1")
        screen.whole(CompositeSpec(.object([("slow", "slow")])))
        screen.whole(CompositeSpec(.object([("inner", "home")])), named: "outer")
        screen.whole(CompositeSpec(.of(PartSpec("quick", follow: ["author"]))), named: "linked")
        return screen
    }

    private func origin(_ observed: Observed, of screen: Combination) -> StubOrigin { screen[observed == .links ? "author" : "slow"] }

    @Test(arguments: Observed.allCases) func `the load ends when the last observer leaves, not before`(observed: Observed) async throws {
        let screen = hanging()
        let (pipeline, origin) = (try screen.pipeline(observed.rawValue), origin(observed, of: screen))
        var first: Watch? = Watch(pipeline.snapshots(try pipeline.key()))
        var second: Watch? = Watch(pipeline.snapshots(try pipeline.key()))
        _ = await first?.next()
        _ = await second?.next()
        await origin.reads(atLeast: 1)

        first = nil
        #expect(origin.cancellationCount == 0)
        second = nil
        await origin.cancellations(atLeast: 1)

        // The next one begins another load, and learns what it found.
        var third = Watch(pipeline.snapshots(try pipeline.key()))
        let seen = await third.until { $0.entry != nil && !$0.status.isRefreshing }
        #expect(seen?.status.isLoading == false && seen?.status.error == nil)
        #expect(origin.readCount == 2)
    }

    @Test func `a load that a fetch waits for goes on`() async throws {
        let screen = Combination()
        let gate = Gate()
        screen.part("slow").answers(StubAnswer.value("1").after(gate))
        let pipeline = try screen.pipeline("slow")
        var watch: Watch? = Watch(pipeline.snapshots(try pipeline.key()))
        _ = await watch?.next()
        await screen["slow"].reads(atLeast: 1)
        let fetch = Task { try await pipeline.fetch() }
        try await yieldUntil { pipeline.flights[0].waiterCount(of: try pipeline.key()) >= 2 }

        watch = nil
        gate.open()

        #expect(try await fetch.value.text == "1")
        #expect(screen["slow"].cancellationCount == 0)
    }

    @Test func `the load that a change of a part began ends with the last observer, and the next one sees changes`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(600))
        screen.part("slow").answers("0", .hanging, "2")
        screen.whole(CompositeSpec(.object([("a", "a"), ("slow", "slow")])))
        let (home, a) = (try screen.pipeline(), try screen.pipeline("a"))
        var watch: Watch? = Watch(home.snapshots(try home.key()))
        await watch?.until(#"{"a":1,"slow":0}"#)
        screen.time.advance(by: .seconds(2))
        _ = try await a.put(Array("2".utf8), for: a.key())
        await screen["slow"].reads(atLeast: 2)

        watch = nil
        await screen["slow"].cancellations(atLeast: 1)

        var next = Watch(home.snapshots(try home.key()))
        await next.until(#"{"a":2,"slow":2}"#)
        _ = try await a.put(Array("3".utf8), for: a.key())
        await next.until(#"{"a":3,"slow":2}"#)
    }

    @Test func `a load that a feed asked for ends with the feed`() async throws {
        let scene = try LiveScene()
        scene.api.answers("[1]", .hanging)
        var watch: Watch? = Watch(scene.friends.snapshots(scene.key))
        await watch?.until("[1]")
        let connection = try await scene.events.connection(1)
        connection.begin()
        await scene.api.reads(atLeast: 2)

        watch = nil
        await scene.ticking { await scene.api.cancellations(atLeast: 1) }
    }

    @Test func `a token that is cancelled ends the load`() async throws {
        let screen = hanging()
        let pipeline = try screen.pipeline("slow")
        final class Owner: Sendable {}
        let owner = Owner()
        let token = pipeline.observe(try pipeline.key(), owner: owner) { _, _ in }
        await screen["slow"].reads(atLeast: 1)

        token.cancel()

        await screen["slow"].cancellations(atLeast: 1)
        withExtendedLifetime(owner) {}
    }
}
