import Pipeline
import Testing

@testable import PipelineSending

/// What follows from the end of a try: the table of rule 13.
@Suite struct AnswerTests {
    private static let all: [SendRepetition] = [.always, .byID, .never]

    private func scene(_ repetition: SendRepetition, accepting: Bool = false) -> MachineScene {
        var scene = MachineScene()
        scene.take(1, by: .rules { $0.repetition = repetition })
        scene.advance()
        return scene
    }

    @Test(arguments: [200, 201, 202, 204, 206, 299], all)
    func `what is accepted is sent`(status: Int, repetition: SendRepetition) {
        var scene = scene(repetition)

        #expect(scene.answer(1, status, id: "7") == ["1 sent"])
        #expect(scene.row(1)?.madeID == "7")
        #expect(scene.row(1)?.ended == scene.now)
        #expect(scene.row(1)?.reason == nil)
    }

    @Test(arguments: [303, 404, 410, 418], all)
    func `SD-20 what the source accepts besides is sent`(status: Int, repetition: SendRepetition) {
        var scene = scene(repetition)

        #expect(scene.answer(1, status, isAccepted: true) == ["1 sent"])
    }

    @Test(arguments: [401, 407, 408, 425, 429, 503, 511], all)
    func `SD-11 what was not processed waits`(status: Int, repetition: SendRepetition) {
        var scene = scene(repetition)

        #expect(scene.answer(1, status) == ["1 waiting: status \(status)"])
        #expect(scene.row(1)?.firstUncertain == nil)
        #expect(scene.row(1)?.status == status)
        #expect(scene.pause(1) == .milliseconds(500))
    }

    @Test(arguments: all) func `what was not asked, or not reached, waits`(repetition: SendRepetition) {
        var scene = scene(repetition)

        #expect(scene.end(1, .unprocessed("no route")) == ["1 waiting: no route"])
        #expect(scene.row(1)?.firstUncertain == nil)
    }

    @Test(arguments: [500, 502, 504, 506, 507, 508, 510, 520, 599])
    func `what was perhaps processed waits where it may be repeated, and is held where not`(status: Int) {
        for repetition in [SendRepetition.always, .byID] {
            var scene = scene(repetition)
            let began = scene.now
            scene.pass(.seconds(3))
            #expect(scene.answer(1, status) == ["1 waiting: status \(status)"])
            #expect(scene.row(1)?.firstUncertain == began)
        }

        var scene = scene(.never)
        #expect(scene.answer(1, status) == ["1 held: uncertain: status \(status)"])
    }

    @Test func `SD-05 SD-06 without an answer it waits where it may be repeated, with the same id, and is held where not`() {
        for repetition in [SendRepetition.always, .byID] {
            var scene = scene(repetition)
            #expect(scene.end(1, .uncertain("reset")) == ["1 waiting: reset"])
            scene.pass(.milliseconds(500))
            #expect(scene.advance() == ["1 sending", "ask 1"])
            #expect(scene.row(1)?.id == "s1")
            #expect(scene.row(1)?.tries == 2)
        }

        var scene = scene(.never)
        #expect(scene.end(1, .uncertain("reset")) == ["1 held: uncertain: reset"])
        scene.pass(.seconds(100_000))
        #expect(scene.advance() == [])
    }

    @Test(
        arguments: [
            300, 301, 302, 304, 307, 308, 400, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 417, 421, 422, 423, 424, 426, 431, 451,
            501, 505,
        ], all)
    func `SD-12 what is refused has failed, with the origin's words`(status: Int, repetition: SendRepetition) {
        var scene = scene(repetition)

        let steps = scene.answer(1, status, detail: "no such user")

        #expect(steps == ["1 failed: status \(status)", "load 1"])
        #expect(scene.row(1) == nil)
    }

    @Test(arguments: [409, 412, 428], all)
    func `a conflict of the first try is one`(status: Int, repetition: SendRepetition) {
        var scene = scene(repetition)

        #expect(scene.answer(1, status) == ["1 failed: conflict: status \(status)", "load 1"])
    }

    @Test func `a failed one keeps status, words and payload`() {
        var machine = OutboxMachine(holder: "here", random: .seeded(1))
        machine.isDelivering = true
        let now = Timestamp(nanoseconds: 1_000)
        let row = SendRow(number: 1, id: "a", name: "edit", arguments: ["x": "1"], payload: [1, 2], owner: "", taken: now)
        _ = machine.note(row, at: SendPlace(.plain, to: "origin", lanes: ["a"], likeness: ""), now: now)
        _ = machine.advance(at: now)

        let steps = machine.ended(1, .answered(SendAnswer(status: 422), made: MadeItem(detail: "too long")), at: now)

        guard case .changed(let failed)? = steps.first else { return #expect(Bool(false), "nothing has changed") }
        #expect(failed.state == .failed)
        #expect(failed.status == 422)
        #expect(failed.detail == "too long")
        #expect(failed.payload == [1, 2])
        #expect(failed.ended == now)
        #expect(failed.next == nil)
    }

    @Test func `words of a refusal go with the next answer`() {
        var scene = scene(.always)
        scene.answer(1, 503, detail: "busy")
        #expect(scene.row(1)?.detail == "busy")
        scene.pass(.seconds(1))
        scene.advance()

        scene.answer(1, 200)

        #expect(scene.row(1)?.detail == nil)
        #expect(scene.row(1)?.status == 200)
    }

    @Test func `SD-08 a sent one is kept until its caches have it, and then it is gone`() {
        var scene = scene(.always)
        scene.answer(1, 200)
        #expect(scene.state(1) == .sent)

        #expect(scene.machine.settled(1).words == ["1 sent"])

        #expect(scene.row(1) == nil)
        #expect(scene.machine.settled(1) == [])
    }

    @Test func `an answer to a try that is over already changes nothing`() {
        var scene = scene(.always)
        scene.answer(1, 200)

        #expect(scene.answer(1, 500) == [])
        #expect(scene.state(1) == .sent)
        #expect(scene.answer(9, 200) == [])
    }

    @Test func `a try whose row could not be written has not begun`() {
        var scene = scene(.never)

        let steps = scene.machine.unbegin(1, until: scene.now + .milliseconds(200))

        #expect(steps.words == ["1 waiting"])
        #expect(scene.row(1)?.tries == 0)
        #expect(scene.row(1)?.firstTry == nil)
        #expect(scene.row(1)?.firstUncertain == nil)
        #expect(scene.asked() == [])
        #expect(scene.wake == .milliseconds(200))
        scene.pass(.milliseconds(200))
        #expect(scene.asked() == [1])
        #expect(scene.row(1)?.tries == 1)
    }
}
