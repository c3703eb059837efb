import Pipeline
import PipelineJSON
import PipelineLive
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

/// Sends from taking in to their end, over values in memory.
@Suite struct SendingTests {
    private let cat = #"{"id":3,"name":"Cat"}"#

    @Test func `a send that is taken in shows before it is sent, and goes out once`() async throws {
        let scene = try SendScene()
        #expect(try await scene.list() == #"[{"id":1,"name":"Ann"},{"id":2,"name":"Bob"}]"#)
        let gate = Gate()
        scene.target.replies(then: .waits(gate, SendAnswer(status: 201, body: Array(cat.utf8))))

        let sent = try await scene.send("add_friend", [:], cat)
        let shown = try await scene.friends().fetch()

        #expect(try await scene.list() == #"[{"id":1,"name":"Ann"},{"id":2,"name":"Bob"},{"id":3,"name":"Cat"}]"#)
        #expect(shown.sends.map(\.send) == ["add_friend"])
        await scene.pipelines.flush()
        #expect(scene.memory.text(for: try scene.friends().key()) == #"[{"id":1,"name":"Ann"},{"id":2,"name":"Bob"}]"#)

        try await scene.target.asked(atLeast: 1)
        gate.open()
        let status = try await scene.reach(.sent, sent)
        await scene.pipelines.shutDown()

        #expect(status.status == 201)
        #expect(scene.target.bodies == [cat])
        #expect(scene.disk.rows.map(\.state) == [.sent])
        #expect(scene.disk.rows.first?.isSettled == true)
        #expect(scene.memory.contents.values.first?.payload.map { String(decoding: $0, as: UTF8.self) }?.contains("Cat") == true)
    }

    @Test func `SD-01 a send that is not reached waits, shows, and goes out from a new process`() async throws {
        let (disk, clock) = (MemoryOutbox.Disk(), ManualClock())
        let first = try SendScene(disk: disk, clock: clock)
        first.target.replies(then: .fails(.unreached))
        let sent = try await first.send("add_friend", [:], cat)
        try await first.target.asked(atLeast: 1)
        #expect(try await first.list().contains("Cat"))
        await first.pipelines.shutDown()
        disk.end("one")
        #expect(disk.rows.map(\.state) == [.waiting])

        let second = try SendScene(disk: disk, clock: clock, process: "two")
        second.target.replies(then: .answers(SendAnswer(status: 200, body: Array(cat.utf8))))
        second.origin.answers(StubAnswer(stringLiteral: "[\(cat)]"))
        try await second.pipelines.startSending()
        #expect(try await second.list().contains("Cat"))
        try await second.target.asked(atLeast: 1)
        try await clock.pass { disk.rows.allSatisfy(\.isSettled) }

        #expect(second.target.asked.map(\.id) == [sent.id])
        #expect(try await second.list().contains("Cat"))
        #expect(try await second.friends().fetch().sends.isEmpty)
        await second.pipelines.shutDown()
    }

    @Test func `SD-02 what cannot be taken in is refused, and nothing of it shows`() async throws {
        let scene = try SendScene(bounds: .none)

        for payload in [cat, "no JSON"] {
            await #expect(throws: SendError.self) { try await scene.send("add_friend", [:], payload) }
        }
        scene.disk.fail(SourceError("the disk is full"))
        await #expect(throws: SendError.refused(SendRefusal(.unavailable, "the disk is full"))) {
            try await scene.send("add_friend", [:], cat)
        }

        #expect(try await !scene.list().contains("Cat"))
        #expect(scene.disk.rows.isEmpty && scene.target.asked.isEmpty)
        await scene.pipelines.shutDown()
    }

    @Test func `SD-03 the same id twice is one send`() async throws {
        let scene = try SendScene()
        async let one = scene.send("add_friend", [:], cat, id: "a")
        async let two = scene.send("add_friend", [:], cat, id: "a")
        let both = try await [one, two]
        #expect(both.map(\.wasKnown).sorted { !$0 && $1 } == [false, true])
        for sent in both { _ = try await sent.answer(within: .seconds(60)) }

        let again = try await scene.send("add_friend", [:], cat, id: "a")

        #expect(again.wasKnown && again.first.state == .sent)
        #expect(scene.target.asked.count == 1)
        await #expect(throws: SendError.self) { try await scene.send("add_friend", [:], #"{"id":9}"#, id: "a") }
        await scene.pipelines.shutDown()
    }

    @Test func `SD-12 a refusal takes back its own effect alone`() async throws {
        let scene = try SendScene()
        let gate = Gate()
        scene.target.replies(
            [.waits(gate, SendAnswer(status: 422, body: Array("no".utf8)))], then: .fails(.unreached))
        let refused = try await scene.send("rename", ["id": "1"], #"{"name":"Anna"}"#)
        try await scene.send("rename", ["id": "1"], #"{"age":7}"#)
        #expect(try await scene.list().hasPrefix(#"[{"id":1,"name":"Anna","age":7}"#))

        gate.open()
        let status = try await scene.reach(.failed, refused)

        #expect(try await scene.list().hasPrefix(#"[{"id":1,"name":"Ann","age":7}"#))
        #expect(status.status == 422 && status.detail == "no")
        #expect(status.payload == Array(#"{"name":"Anna"}"#.utf8))
        await scene.pipelines.shutDown()
    }

    @Test func `SD-16 a new item has a temporary id until its origin names it`() async throws {
        let scene = try SendScene()
        scene.target.replies(then: .fails(.unreached))
        let add = try await scene.send("add_friend", [:], #"{"name":"Cat"}"#)
        let temporary = add.first.temporaryID
        try await scene.send("rename", ["id": temporary], #"{"name":"Tom"}"#)
        try await scene.send("remove", ["id": temporary])
        #expect(try await scene.list() == #"[{"id":1,"name":"Ann"},{"id":2,"name":"Bob"}]"#)
        _ = try await scene.reach(add) { $0.state == .waiting && $0.tries == 1 }

        scene.target.replies(
            [.answers(SendAnswer(status: 201, body: Array(#"{"id":7,"name":"Cat"}"#.utf8)))], then: .answers(SendAnswer(status: 200)))
        let left = try await scene.pipelines.flushSends(within: .seconds(60))

        #expect(left == 0)
        let asked = scene.target.asked.suffix(3)
        #expect(asked.map(\.key.text) == ["add_friend", "rename,id=7", "remove,id=7"])
        let list = try await scene.list()
        #expect(list == #"[{"id":1,"name":"Ann"},{"id":2,"name":"Bob"}]"#)
        await scene.pipelines.shutDown()
    }

    @Test func `an observer sees a send at once, and no second revision when it is sent`() async throws {
        let scene = try SendScene()
        var snapshots = try scene.friends().snapshots(scene.friends().key()).makeAsyncIterator()
        var snapshot = await snapshots.next()
        while snapshot?.entry == nil || snapshot?.status.isLoading == true { snapshot = await snapshots.next() }
        let gate = Gate()
        scene.target.replies(then: .waits(gate, SendAnswer(status: 201, body: Array(cat.utf8))))

        try await scene.send("add_friend", [:], cat)
        while snapshot?.element("3") == nil { snapshot = await snapshots.next() }
        let shown = snapshot
        #expect(shown?.status.sends.map(\.send) == ["add_friend"])
        gate.open()
        while snapshot?.status.sends.isEmpty == false { snapshot = await snapshots.next() }

        #expect(snapshot?.revision == shown?.revision)
        #expect(snapshot?.element("3").map { String(decoding: $0, as: UTF8.self) } == cat)
        await scene.pipelines.shutDown()
    }

    @Test func `SD-13 loads change the base, and the send stays on top`() async throws {
        let scene = try SendScene()
        scene.target.replies(then: .fails(.unreached))
        let sent = try await scene.send("rename", ["id": "2"], #"{"name":"Rob"}"#)
        scene.origin.answers(#"[{"id":2,"name":"Bobby"},{"id":4,"name":"Dan"}]"#)

        #expect(try await scene.list(.refresh) == #"[{"id":2,"name":"Rob"},{"id":4,"name":"Dan"}]"#)
        try await scene.pipelines.drop(sent.id)

        #expect(try await scene.list() == #"[{"id":2,"name":"Bobby"},{"id":4,"name":"Dan"}]"#)
        await scene.pipelines.shutDown()
    }

    @Test func `SD-06 a lost answer of what may not be repeated is held, and a person decides`() async throws {
        let scene = try SendScene(target: ScriptedTarget(.never))
        scene.target.replies([.fails(.reset)], then: .answers(SendAnswer(status: 200)))
        let sent = try await scene.send("rename", ["id": "1"], #"{"name":"Anna"}"#)
        let held = try await scene.reach(.held, sent)
        #expect(held.reason?.hasPrefix("uncertain") == true)
        #expect(try await scene.list().contains("Anna"))

        try await scene.pipelines.retry(sent.id)
        let status = try await scene.reach(.sent, sent)

        #expect(status.tries == 2)
        await scene.pipelines.shutDown()
    }

    @Test func `a drop that cannot be written says so, also in the pause after a write that failed, and is written later`() async throws {
        let scene = try SendScene()
        scene.target.replies(then: .fails(.unreached))
        let sent = try await scene.send("rename", ["id": "1"], #"{"name":"Anna"}"#)
        _ = try await scene.reach(sent) { $0.state == .waiting && $0.tries == 1 }
        scene.disk.fail(SourceError("the disk is full"))

        // No clock moves: nobody waits for a pause.
        let refusal = SendRefusal(.unavailable, "the outbox cannot be written now: the disk is full")
        await #expect(throws: SendError.refused(refusal)) { try await scene.pipelines.drop(sent.id) }
        #expect(scene.disk.rows.map(\.state) != [.dropped])

        scene.disk.fail(nil)
        try await scene.clock.pass(by: .milliseconds(100)) { scene.disk.rows.first?.state == .dropped }
        await scene.pipelines.shutDown()
    }

    @Test func `SD-08 an answer that cannot be noted is noted later, and not asked for again`() async throws {
        let scene = try SendScene()
        let gate = Gate()
        scene.target.replies(then: .waits(gate, SendAnswer(status: 200)))
        let sent = try await scene.send("rename", ["id": "1"], #"{"name":"Anna"}"#)
        try await scene.target.asked(atLeast: 1)
        scene.disk.fail(SourceError("the database is busy"))
        gate.open()
        _ = try await scene.reach(.sent, sent)
        #expect(scene.disk.rows.map(\.state) == [.sending])

        scene.disk.fail(nil)
        try await scene.clock.pass(by: .seconds(1)) {
            scene.disk.rows.first?.state == .sent
        }

        #expect(scene.target.asked.count == 1)
        await scene.pipelines.shutDown()
    }
}
