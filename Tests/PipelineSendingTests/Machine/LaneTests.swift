import Pipeline
import Testing

@testable import PipelineSending

@Suite struct LaneTests {
    private var scene = MachineScene()

    @Test mutating func `sends of one lane go one after the other, by their numbers, and those of others at once`() {
        scene.take(1, in: ["a"])
        scene.take(2, in: ["a"])
        scene.take(3, in: ["b"])

        #expect(scene.advance() == ["1 sending", "ask 1", "3 sending", "ask 3"])
        #expect(scene.advance() == [])
        scene.answer(1, 200)
        #expect(scene.asked() == [2])
    }

    @Test mutating func `the order is that of the numbers, also when they are noted in another one`() {
        scene.take(7)
        scene.take(3)
        scene.take(5)

        #expect(scene.asked() == [3])
        scene.answer(3, 200)
        #expect(scene.asked() == [5])
        scene.answer(5, 200)
        #expect(scene.asked() == [7])
    }

    @Test mutating func `a send in two lanes waits for both, and both wait for it`() {
        scene.take(1, in: ["key a"])
        scene.take(2, in: ["scope"])
        scene.take(3, in: ["key a", "scope"])
        scene.take(4, in: ["key a"])
        scene.take(5, in: ["scope"])

        #expect(scene.asked() == [1, 2])
        scene.answer(1, 200)
        #expect(scene.asked() == [])
        scene.answer(2, 200)
        #expect(scene.asked() == [3])
        scene.answer(3, 200)
        #expect(scene.asked() == [4, 5])
    }

    @Test mutating func `one that waits for a pause holds its lane`() {
        scene.take(1)
        scene.take(2)
        scene.advance()

        scene.answer(1, 503)

        #expect(scene.asked() == [])
        #expect(scene.wake == .milliseconds(500))
    }

    @Test mutating func `SD-06 one that is held, has failed or was given up holds none`() throws {
        scene.take(1, by: .rules { $0.repetition = .never })
        scene.take(2)
        scene.take(3)
        scene.take(4)
        scene.advance()

        #expect(scene.end(1, .uncertain("the connection broke")) == ["1 held: uncertain: the connection broke"])
        scene.pass(.seconds(1))
        #expect(scene.asked() == [2])
        scene.answer(2, 403)
        #expect(scene.asked() == [3])
        scene.answer(3, 503)
        let row = try #require(scene.row(3))
        _ = try scene.machine.drop(row, at: scene.now)
        scene.pass(.seconds(1))
        #expect(scene.asked() == [4])
    }

    @Test mutating func `of those that need not wait the important ones go first, and of equal ones the first`() {
        scene.take(1, in: ["a"], by: .rules { $0.priority = .low })
        scene.take(2, in: ["b"], by: .rules { $0.priority = .normal })
        scene.take(3, in: ["c"], by: .rules { $0.priority = .high })
        scene.take(4, in: ["d"], by: .rules { $0.priority = .normal })

        #expect(scene.asked() == [3, 2, 4, 1])
    }

    @Test mutating func `the priority that a caller gives stands before that of the kind`() {
        scene.take(1, in: ["a"], by: .rules { $0.priority = .high }, priority: .background)
        scene.take(2, in: ["b"], by: .rules { $0.priority = .low })

        #expect(scene.asked() == [2, 1])
    }

    @Test mutating func `one that a person puts back at its number waits for what is under way in its lane`() throws {
        scene.take(1, by: .rules { $0.repetition = .never })
        scene.take(2)
        scene.take(3)
        scene.advance()
        scene.end(1, .uncertain("reset"))
        scene.pass(.seconds(1))
        scene.advance()

        _ = try scene.machine.retry(try #require(scene.row(1)), at: scene.place(1), now: scene.now)

        #expect(scene.asked() == [])
        scene.answer(2, 200)
        #expect(scene.asked() == [1])
    }

    @Test mutating func `one that another process tries holds its lane`() {
        scene.take(1)
        scene.take(2)
        scene.advance()

        var other = scene.nextProcess()

        #expect(other.asked() == [])
        #expect(other.machine.triedElsewhere.map(\.number) == [1])
        #expect(scene.machine.triedElsewhere == [])
    }

    @Test mutating func `a process that does not deliver begins nothing, and changes nothing by itself`() {
        scene = MachineScene(isDelivering: false)
        scene.take(1, by: .rules { $0.expires = .seconds(1) })
        scene.take(2, of: "x", by: .rules { $0.replacesUntried = true })
        scene.take(3, of: "x", by: .rules { $0.replacesUntried = true })
        scene.note(SendRow(number: 4, id: "s4", name: "gone", arguments: [:], payload: [], owner: "", taken: scene.now), at: nil)
        scene.pass(.seconds(100))

        #expect(scene.advance() == [])
        #expect(scene.wake == nil)

        scene.machine.isDelivering = true
        #expect(
            scene.advance() == [
                "1 failed: expired: it was not sent within 1s", "4 held: undeclared", "2 merged: send 3 took its place", "3 sending",
                "ask 3",
            ])
    }

    @Test mutating func `without the lease no further try begins, and the answers of those that did count`() {
        scene.take(1)
        scene.take(2)
        scene.advance()

        scene.machine.isDelivering = false

        #expect(scene.answer(1, 200) == ["1 sent"])
        #expect(scene.asked() == [])
    }
}
