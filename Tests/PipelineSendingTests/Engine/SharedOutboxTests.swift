import Pipeline
import PipelineLive
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

/// One outbox and several processes, one after the other or at the same time.
@Suite struct SharedOutboxTests {
    private let cat = #"{"id":3,"name":"Cat"}"#

    @Test func `a fetch of a new process shows what waits, also without a send of its own`() async throws {
        let (disk, clock) = (MemoryOutbox.Disk(), ManualClock())
        let first = try SendScene(disk: disk, clock: clock)
        first.target.replies(then: .fails(.unreached))
        try await first.send("add_friend", [:], cat)
        await first.pipelines.shutDown()

        let second = try SendScene(disk: disk, clock: clock, process: "two")
        second.target.replies(then: .fails(.unreached))
        let outcome = try await second.friends().fetch()
        await second.pipelines.flush()
        let offline = try await second.friends().fetch(policy: .offline)

        #expect(outcome.sends.map(\.send) == ["add_friend"])
        #expect(offline.sends.map(\.send) == ["add_friend"])
        await second.pipelines.shutDown()
    }

    @Test func `SD-21 each process shows the other's sends, and one delivers`() async throws {
        let (disk, clock) = (MemoryOutbox.Disk(), ManualClock())
        let one = try SendScene(disk: disk, clock: clock)
        let two = try SendScene(disk: disk, clock: clock, process: "two")
        for scene in [one, two] { scene.target.replies(then: .fails(.unreached)) }
        try await one.send("add_friend", [:], cat)
        try await one.target.asked(atLeast: 1)
        _ = try await two.list()

        let sent = try await two.send("rename", ["id": "1"], #"{"name":"Anna"}"#)
        try await clock.pass(by: .milliseconds(500)) {
            try await one.list().contains("Anna")
        }

        #expect(try await two.list().contains("Cat"))
        #expect(two.target.asked.isEmpty)
        // The one that delivers is gone without a word.
        disk.end("one")
        two.target.replies(then: .answers(SendAnswer(status: 200)))
        try await clock.pass(by: .seconds(1)) {
            disk.rows.allSatisfy { $0.state == .sent }
        }
        #expect(two.target.asked.map(\.id).last == sent.id)
        for scene in [one, two] { await scene.pipelines.shutDown() }
    }

    @Test func `what another process sends is a change of a value that is observed here`() async throws {
        let (disk, clock) = (MemoryOutbox.Disk(), ManualClock())
        let one = try SendScene(disk: disk, clock: clock)
        let two = try SendScene(disk: disk, clock: clock, process: "two")
        two.pipelines.waitWithDelivery()
        var snapshots = try two.friends().snapshots(two.friends().key()).makeAsyncIterator()
        var snapshot = await snapshots.next()
        while snapshot?.entry == nil { snapshot = await snapshots.next() }

        one.target.replies(then: .answers(SendAnswer(status: 201, body: Array(cat.utf8))))
        let sent = try await one.send("add_friend", [:], cat)
        _ = try await one.reach(.sent, sent)
        try await clock.pass { disk.rows.allSatisfy(\.isSettled) }
        clock.advance(by: .seconds(1))
        while snapshot?.element("3") == nil { snapshot = await snapshots.next() }

        #expect(snapshot?.status.sends.isEmpty == true)
        for scene in [one, two] { await scene.pipelines.shutDown() }
    }

    @Test func `what another process gives up is not sent, and holds up nothing`() async throws {
        let (disk, clock) = (MemoryOutbox.Disk(), ManualClock())
        let one = try SendScene(disk: disk, clock: clock)
        let two = try SendScene(disk: disk, clock: clock, process: "two")
        one.target.replies(then: .fails(.unreached))
        let first = try await one.send("rename", ["id": "1"], #"{"name":"Anna"}"#)
        let second = try await one.send("rename", ["id": "1"], #"{"age":7}"#)
        _ = try await one.reach(first) { $0.state == .waiting && $0.tries == 1 }

        two.pipelines.waitWithDelivery()
        let dropped = try await two.pipelines.drop(first.id)
        one.target.replies(then: .answers(SendAnswer(status: 200)))
        try await clock.pass { disk.rows[1].state == .sent }

        #expect(dropped.state == .dropped)
        #expect(disk.rows[0].state == .dropped)
        #expect(one.target.asked.map(\.id) == [first.id, second.id])
        for scene in [one, two] { await scene.pipelines.shutDown() }
    }

    @Test func `what a process was trying that has ended can be given up at once`() async throws {
        let (disk, clock, gate) = (MemoryOutbox.Disk(), ManualClock(), Gate())
        let one = try SendScene(disk: disk, clock: clock)
        let two = try SendScene(disk: disk, clock: clock, process: "two")
        one.target.replies(then: .waits(gate, SendAnswer(status: 200)))
        let sent = try await one.send("rename", ["id": "1"], #"{"name":"Anna"}"#)
        try await one.target.asked(atLeast: 1)
        two.pipelines.waitWithDelivery()
        disk.end("one")

        // No clock moves: nobody waits for a try that has no process.
        let dropped = try await two.pipelines.drop(sent.id)

        #expect(dropped.state == .dropped)
        #expect(dropped.reason == "the origin may have made the change")
        gate.open()
        for scene in [one, two] { await scene.pipelines.shutDown() }
    }

    @Test func `a drop waits for a try of another process, however long that takes`() async throws {
        let (disk, clock, gate) = (MemoryOutbox.Disk(), ManualClock(), Gate())
        let one = try SendScene(disk: disk, clock: clock)
        let two = try SendScene(disk: disk, clock: clock, process: "two")
        one.target.replies([.waits(gate, SendAnswer(status: 503))], then: .fails(.unreached))
        let sent = try await one.send("rename", ["id": "1"], #"{"name":"Anna"}"#)
        try await one.target.asked(atLeast: 1)
        two.pipelines.waitWithDelivery()

        async let dropped = two.pipelines.drop(sent.id)
        let end = clock.now + .seconds(20)
        try await clock.pass { clock.now >= end }
        #expect(disk.rows[0].state == .sending)
        gate.open()
        try await clock.pass { disk.rows[0].state == .dropped }

        #expect(try await dropped.state == .dropped)
        for scene in [one, two] { await scene.pipelines.shutDown() }
    }

    @Test func `a send that is given up while its try is being marked is forgotten`() async throws {
        let (disk, clock) = (MemoryOutbox.Disk(), ManualClock())
        let one = try SendScene(disk: disk, clock: clock)
        one.target.replies(then: .fails(.unreached))
        let sent = try await one.send("rename", ["id": "1"], #"{"name":"Anna"}"#)
        _ = try await one.reach(sent) { $0.state == .waiting && $0.tries == 1 }

        // Nothing can be written while the pause ends, and then the other process comes first.
        disk.fail(SourceError("the database is busy"))
        try await clock.pass(by: .milliseconds(100)) { clock.now >= Timestamp(nanoseconds: 1_767_225_600_000_000_000) + .seconds(3) }
        disk.drop(1, by: "two")
        disk.fail(nil)

        #expect(try await one.pipelines.deliver(within: .seconds(600), endingPauses: false, passing: clock) == 0)
        #expect(disk.rows[0].state == .dropped)
        #expect(one.target.asked.count == 1)
        await one.pipelines.shutDown()
    }

    @Test func `a delivery that ends no pauses leaves quiet times alone`() async throws {
        let scene = try SendScene { $0[1].debounce = .seconds(60) }
        try await scene.send("rename", ["id": "1"], #"{"name":"Anna"}"#)

        async let left = scene.pipelines.deliver(within: .seconds(50), endingPauses: false)
        try await scene.clock.pass(by: .seconds(5)) { scene.clock.now >= Timestamp(nanoseconds: 1_767_225_600_000_000_000) + .seconds(55) }
        #expect(try await left == 1)
        #expect(scene.target.asked.isEmpty)
        #expect(try await scene.pipelines.flushSends(within: .seconds(5)) == 0)

        #expect(scene.target.asked.count == 1)
        await scene.pipelines.shutDown()
    }

    @Test func `SD-25 the sends of another owner are neither shown nor sent nor listed`() async throws {
        let (disk, clock) = (MemoryOutbox.Disk(), ManualClock())
        let first = try SendScene(disk: disk, clock: clock, bounds: .of(owner: "a"))
        first.target.replies(then: .fails(.unreached))
        try await first.send("add_friend", [:], cat)
        await first.pipelines.shutDown()

        let second = try SendScene(disk: disk, clock: clock, process: "two", bounds: .of(owner: "b"))
        #expect(try await !second.list().contains("Cat"))
        #expect(try await second.pipelines.flushSends(within: .seconds(5)) == 0)
        #expect(second.target.asked.isEmpty)
        await second.pipelines.shutDown()

        let third = try SendScene(disk: disk, clock: clock, process: "three", bounds: .of(owner: "a"))
        third.target.replies(then: .fails(.unreached))
        #expect(try await third.list().contains("Cat"))
        await third.pipelines.shutDown()
    }

    @Test func `SD-22 stopping begins no try, waits for the one under way, and leaves the rest`() async throws {
        let scene = try SendScene()
        let gate = Gate()
        scene.target.replies(then: .waits(gate, SendAnswer(status: 200)))
        try await scene.send("rename", ["id": "1"], #"{"name":"Anna"}"#)
        try await scene.send("rename", ["id": "1"], #"{"age":7}"#)
        try await scene.target.asked(atLeast: 1)

        async let end = scene.pipelines.shutDown()
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        _ = await end

        #expect(scene.target.asked.count == 1)
        #expect(scene.disk.rows.map(\.state) == [.sent, .waiting])
    }

    @Test func `the sends of one lane take little more than a commit each`() async throws {
        let scene = try SendScene()
        let gate = Gate()
        scene.target.replies([.waits(gate, SendAnswer(status: 200))], then: .answers(SendAnswer(status: 200)))
        try await withThrowingTaskGroup { group in
            for _ in 0..<200 { group.addTask { _ = try await scene.send("rename", ["id": "1"], #"{"name":"Anna"}"#) } }
            try await group.waitForAll()
        }
        let before = scene.disk.commits

        gate.open()
        try await yieldUntil { scene.disk.rows.allSatisfy { $0.state == .sent } }

        #expect(scene.disk.commits - before <= 220)
        #expect(scene.target.asked.count == 200)
        await scene.pipelines.shutDown()
        #expect(!scene.disk.rows.contains { !$0.isSettled })
    }

    @Test(arguments: [false, true]) func `SD-04 a process that died while it asked is followed by one that knows what may be repeated`(
        mayRepeat: Bool
    ) async throws {
        let (disk, clock) = (MemoryOutbox.Disk(), ManualClock())
        let first = try SendScene(disk: disk, clock: clock, target: ScriptedTarget(mayRepeat ? .byID : .never))
        first.target.replies(then: .waits(Gate(), SendAnswer(status: 200)))
        let sent = try await first.send("add_friend", [:], cat)
        try await first.target.asked(atLeast: 1)
        disk.end("one")

        let second = try SendScene(disk: disk, clock: clock, process: "two", target: ScriptedTarget(mayRepeat ? .byID : .never))
        try await second.pipelines.startSending()
        try await clock.pass(by: .milliseconds(500)) {
            disk.rows[0].state == (mayRepeat ? .sent : .held)
        }

        #expect(second.target.asked.map(\.id) == (mayRepeat ? [sent.id] : []))
        await second.pipelines.shutDown()
    }
}

extension OutboxBounds {
    fileprivate static func of(owner: String) -> OutboxBounds {
        var bounds = OutboxBounds()
        bounds.owner = owner
        return bounds
    }
}
