import Pipeline
import PipelineComposing
import PipelineLive
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

/// Values that are made from a list with sends laid over it.
@Suite struct ComposedSendTests {
    private let cat = #"{"id":3,"name":"Cat"}"#

    /// A screen in memory that is made from the friends.
    private func screen(_ memory: StubSource) -> PipelineSpec {
        PipelineSpec(
            "screen", combine: CompositeSpec(.object([("friends", "friends")])),
            tiers: [TierSpec(SourceSpec("screens", memory), ttl: .seconds(600)), .combine()])
    }

    private func text(_ outcome: Outcome) -> String {
        guard case .value(let entry) = outcome.result else { return "\(outcome.result)" }
        return String(decoding: entry.payload ?? [], as: UTF8.self)
    }

    @Test func `a composite shows the sends of a part, and no cache keeps it until they are sent`() async throws {
        let clock = ManualClock()
        let screens = StubSource(clock: clock.clock)
        let scene = try SendScene(clock: clock, others: [screen(screens)])
        let screen = try scene.pipelines.pipeline(named: "screen")
        let before = text(try await screen.fetch())
        try await screen.flush(screen.key())
        #expect(screens.text(for: try screen.key()) == before)
        let gate = Gate()
        scene.target.replies(then: .waits(gate, SendAnswer(status: 201, body: Array(cat.utf8))))

        let sent = try await scene.send("add_friend", [:], cat)
        let shown = try await screen.fetch()
        try await shown.waitForWrites()

        #expect(text(shown) == #"{"friends":[{"id":1,"name":"Ann"},{"id":2,"name":"Bob"},\#(cat)]}"#)
        #expect(screens.text(for: try screen.key())?.contains("Cat") != true)
        #expect(shown.writes.first?.reason?.contains("sends that wait") == true, "\(shown.writes)")

        gate.open()
        _ = try await scene.reach(.sent, sent)
        try await clock.pass { scene.disk.rows.allSatisfy(\.isSettled) }
        let after = try await screen.fetch()
        try await after.waitForWrites()
        try await screen.flush(screen.key())

        #expect(text(after) == text(shown))
        #expect(screens.text(for: try screen.key()) == text(after))
        await scene.pipelines.shutDown()
    }

    @Test func `an observer of a composite sees a send of a part, and its rollback`() async throws {
        let clock = ManualClock()
        let scene = try SendScene(clock: clock, others: [screen(StubSource(clock: clock.clock))])
        let screen = try scene.pipelines.pipeline(named: "screen")
        var snapshots = try screen.snapshots(screen.key()).makeAsyncIterator()
        var snapshot = await snapshots.next()
        func until(_ isThere: Bool) async {
            while snapshot?.entry?.payload.map({ String(decoding: $0, as: UTF8.self).contains("Cat") == isThere }) != true {
                snapshot = await snapshots.next()
            }
        }
        await until(false)
        let gate = Gate()
        scene.target.replies(then: .waits(gate, SendAnswer(status: 422)))

        try await scene.send("add_friend", [:], cat)
        await until(true)
        gate.open()
        await until(false)

        await scene.pipelines.shutDown()
    }
}
