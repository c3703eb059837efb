import Pipeline
import Testing

@testable import PipelineSending

/// Sends that name what earlier ones make, by temporary ids.
@Suite struct NeedingTests {
    private var scene = MachineScene()

    @Test mutating func `SD-16 a send that names what another one makes waits for it, and goes out with the origin's id`() {
        scene.take(1, "create", in: ["a"])
        scene.take(2, "rename", in: ["b"], arguments: ["id": "~s1"])
        scene.take(3, "link", in: ["c"], saying: #"{"from":"~s1","to":["~s1",1],"text":"of ~s1"}"#)

        #expect(scene.asked() == [1])
        // In one transaction.
        #expect(scene.answer(1, 201, id: "7") == ["1 sent", "2 waiting", "3 waiting"])

        #expect(scene.asked() == [2, 3])
        #expect(scene.row(2)?.arguments == ["id": "7"])
        // A number stays a number.
        #expect(scene.row(3).map { String(decoding: $0.payload, as: UTF8.self) } == #"{"from":7,"to":[7,1],"text":"of ~s1"}"#)
    }

    @Test mutating func `an id is put in its place once`() throws {
        scene.take(1, in: ["a"])
        scene.take(2, in: ["b"])
        scene.take(3, in: ["b"], arguments: ["id": "~s1"])
        scene.advance()
        #expect(scene.answer(1, 201, id: "7") == ["1 sent", "3 waiting"])

        #expect(scene.advance() == [])
    }

    @Test mutating func `one that another process tries is left as it is`() {
        scene.take(1)
        scene.advance()
        scene.answer(1, 400)
        let arguments = ["id": "~s1"]
        let row = SendRow(
            number: 2, id: "s2", name: "edit", arguments: arguments, payload: [], owner: "", taken: scene.now, state: .sending)

        scene.note(row, at: SendPlace(.plain, to: "origin", lanes: ["b"], likeness: "", needs: ["~s1"]))

        #expect(scene.advance() == [])
        #expect(scene.row(2)?.arguments == arguments)
    }

    @Test mutating func `SD-16 a text stays as it is where an argument gets the origin's id`() {
        scene.take(1)
        let text = Array(#"of "~s1""#.utf8)
        let row = SendRow(number: 2, id: "s2", name: "note", arguments: ["id": "~s1"], payload: text, owner: "", taken: scene.now)
        scene.note(row, at: SendPlace(.plain, to: "origin", lanes: ["b"], likeness: "", needs: ["~s1"], format: .text))
        scene.advance()

        scene.answer(1, 201, id: "7")

        #expect(scene.row(2)?.arguments == ["id": "7"])
        #expect(scene.row(2)?.payload == text)
    }

    @Test mutating func `an id that is a text stays a text`() {
        scene.take(1)
        scene.take(2, in: ["b"], arguments: ["id": "~s1"], saying: #"["~s1"]"#)
        scene.advance()

        scene.answer(1, 201, id: #""x\"y""#)

        #expect(scene.row(2)?.arguments == ["id": #"x"y"#])
        #expect(scene.row(2)?.payload == Array(#"["x\"y"]"#.utf8))
    }

    @Test mutating func `SD-16 when the create fails, all that need it fail, and those that need them`() {
        scene.take(1, in: ["a"])
        scene.take(2, in: ["b"], arguments: ["id": "~s1"])
        scene.take(3, in: ["c"], arguments: ["id": "~s2"])
        scene.take(4, in: ["d"])
        scene.advance()

        let steps = scene.answer(1, 422)

        #expect(
            steps == ["1 failed: status 422", "2 failed: needs ~s1, which failed", "3 failed: needs ~s2, which failed", "load 1"])
        #expect(scene.machine.rows.map(\.number) == [4])
    }

    @Test mutating func `when the create is given up, they fail, too`() throws {
        scene.take(1)
        scene.take(2, in: ["b"], arguments: ["id": "~s1"])

        let steps = try scene.machine.drop(try #require(scene.row(1)), at: scene.now)

        #expect(steps?.words == ["1 dropped", "2 failed: needs ~s1, which was dropped"])
    }

    @Test mutating func `an origin that does not say the id of what it made leaves nothing to name`() {
        scene.take(1)
        scene.take(2, in: ["b"], arguments: ["id": "~s1"])
        scene.advance()

        let steps = scene.answer(1, 201)

        #expect(steps == ["1 sent", "2 failed: needs ~s1, and the origin did not say what its id is"])
    }

    @Test mutating func `what needs one that is held waits on`() throws {
        scene.take(1, by: .rules { $0.repetition = .never })
        scene.take(2, in: ["b"], arguments: ["id": "~s1"])
        scene.advance()
        scene.end(1, .uncertain("reset"))
        scene.pass(.seconds(60))

        #expect(scene.asked() == [])

        _ = try scene.machine.retry(try #require(scene.row(1)), at: scene.place(1), now: scene.now)
        scene.advance()
        scene.answer(1, 201, id: "8")
        #expect(scene.asked() == [2])
        #expect(scene.row(2)?.arguments == ["id": "8"])
    }

    @Test mutating func `one that comes when the create was sent gets its id all the same`() {
        scene.take(1)
        scene.advance()
        scene.answer(1, 201, id: "7")
        _ = scene.machine.settled(1)

        scene.take(2, in: ["b"], arguments: ["id": "~s1"])

        #expect(scene.advance() == ["2 waiting", "2 sending", "ask 2"])
        #expect(scene.row(2)?.arguments == ["id": "7"])
    }

    @Test mutating func `one that comes when the create has failed fails`() {
        scene.take(1)
        scene.advance()
        scene.answer(1, 400)

        scene.take(2, in: ["b"], arguments: ["id": "~s1"])

        #expect(scene.advance() == ["2 failed: needs ~s1, which failed"])
    }

    @Test mutating func `what became of a create in another process holds here, too`() throws {
        scene.take(1)
        var sent = try #require(scene.row(1))
        sent.end(.sent, nil, at: scene.now)
        (sent.madeID, sent.isSettled) = ("7", true)

        var other = MachineScene("other")
        other.note(sent, at: nil)
        other.take(2, in: ["b"], arguments: ["id": "~s1"])

        #expect(other.asked() == [2])
        #expect(other.row(2)?.arguments == ["id": "7"])
        #expect(other.machine.rows.map(\.number) == [2])
    }

    @Test mutating func `a create that is put back and sent serves those that are put back after it`() throws {
        scene.take(1)
        scene.take(2, in: ["b"], arguments: ["id": "~s1"])
        scene.advance()
        let rename = try #require(scene.row(2))
        scene.answer(1, 400)
        var failed = rename
        failed.end(.failed, "needs ~s1, which failed", at: scene.now)
        let create = SendRow(number: 1, id: "s1", name: "edit", arguments: [:], payload: [], owner: "", taken: scene.now, state: .failed)

        let (place, now) = (scene.place(2), scene.now)
        #expect(throws: OutboxMachine.Refusal(reason: "it needs ~s1, which failed")) {
            _ = try scene.machine.retry(failed, at: place, now: now)
        }
        _ = try scene.machine.retry(create, at: scene.place(1), now: scene.now)
        let steps = try scene.machine.retry(failed, at: place, now: scene.now)

        #expect(steps.words == ["2 waiting"])
        #expect(scene.asked() == [1])
        scene.answer(1, 201, id: "9")
        #expect(scene.asked() == [2])
        #expect(scene.row(2)?.arguments == ["id": "9"])
    }

    @Test mutating func `a text that names a later send, or none, is only a text`() {
        scene.take(1, in: ["a"], arguments: ["id": "~s2"])
        scene.take(2, in: ["b"], arguments: ["id": "~who"])

        #expect(scene.asked() == [1, 2])
        #expect(scene.answer(2, 400) == ["2 failed: status 400", "load 2"])
        #expect(scene.state(1) == .sending)
    }

    @Test mutating func `with the origin's id a send stands in the lane of that id`() throws {
        scene.take(1, in: ["key ~s1"])
        scene.take(2, in: ["key ~s1"], arguments: ["id": "~s1"])
        scene.take(3, in: ["key 7"], arguments: ["id": "7"])
        scene.take(4, in: ["key 7"], arguments: ["id": "7"])
        #expect(scene.asked() == [1, 3])
        scene.answer(1, 201, id: "7")

        let row = try #require(scene.row(2))
        scene.note(row, at: SendPlace(.plain, to: "origin", lanes: ["key 7"], likeness: ""))

        #expect(scene.asked() == [])
        scene.answer(3, 200)
        #expect(scene.asked() == [2])
    }
}
