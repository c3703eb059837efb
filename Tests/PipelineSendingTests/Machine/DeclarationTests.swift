import Pipeline
import Testing

@testable import PipelineSending

/// Other files, and sends that no file declares.
@Suite struct DeclarationTests {
    private var scene = MachineScene()

    private func row(_ number: Int64, _ state: SendState = .waiting) -> SendRow {
        SendRow(number: number, id: "s\(number)", name: "gone", arguments: [:], payload: [], owner: "", taken: scene.now, state: state)
    }

    @Test mutating func `what the file does not have any more is held, and goes on when it is back`() {
        scene.take(1)
        scene.take(2)
        let places = scene.places

        #expect(scene.machine.declare(at: scene.now) { $0.number == 1 ? nil : places[$0.number] }.words == ["1 held: undeclared"])
        #expect(scene.asked() == [2])

        #expect(scene.machine.declare(at: scene.now) { places[$0.number] }.words == ["1 waiting"])
        // At its number, and not beside the one that is under way.
        #expect(scene.asked() == [])
        scene.answer(2, 200)
        #expect(scene.asked() == [1])
    }

    @Test mutating func `a row of a kind that the file does not have is held, and a process with the kind goes on`() {
        scene.note(row(1), at: nil)
        #expect(scene.advance() == ["1 held: undeclared"])

        var next = MachineScene("next")
        var held = row(1, .held)
        held.reason = "undeclared"
        next.note(held, at: SendPlace(.plain, to: "origin", lanes: ["a"], likeness: ""))

        #expect(next.advance() == ["1 waiting", "1 sending", "ask 1"])
    }

    @Test mutating func `a process that does not deliver leaves what it does not know alone`() {
        scene = MachineScene(isDelivering: false)

        scene.note(row(1), at: nil)
        #expect(scene.machine.declare(at: scene.now) { _ in nil } == [])

        #expect(scene.state(1) == .waiting)
        #expect(scene.advance() == [])
    }

    @Test mutating func `what is held for another reason stays held`() {
        var held = row(1, .held)
        held.hold("uncertain: reset")
        scene.note(held, at: scene.place(1))
        var unreadable = row(2, .held)
        unreadable.hold("unreadable")
        scene.note(unreadable, at: nil)

        let steps = scene.machine.declare(at: scene.now) { _ in SendPlace(.plain, to: "origin", lanes: ["a"], likeness: "") }

        #expect(steps == [])
        #expect(scene.advance() == [])
    }

    @Test mutating func `an answer counts when its send is not declared any more`() {
        for isGood in [true, false] {
            scene = MachineScene()
            scene.take(1, in: ["a"])
            scene.take(2, in: ["b"])
            scene.advance()
            let places = scene.places
            _ = scene.machine.declare(at: scene.now) { $0.number == 1 ? nil : places[$0.number] }
            #expect(scene.state(1) == .sending)

            #expect(scene.answer(1, isGood ? 200 : 503) == [isGood ? "1 sent" : "1 waiting: status 503"])
            scene.answer(2, 200)
            #expect(scene.advance() == (isGood ? [] : ["1 held: undeclared"]))
            #expect(!scene.machine.isBusy)
        }
    }

    @Test mutating func `a try ends at the target where it began`() {
        scene.take(1, in: ["a"], to: "old")
        scene.advance()
        let moved = SendPlace(.plain, to: "new", lanes: ["a"], likeness: "")
        _ = scene.machine.declare(at: scene.now) { _ in moved }

        scene.answer(1, 503)

        // The old one rests, and nothing is under way to it.
        scene.take(2, in: ["b"], to: "old")
        #expect(scene.asked() == [])
        scene.pass(.milliseconds(500))
        #expect(scene.asked().sorted() == [1, 2])
    }

    @Test mutating func `a file with shorter pauses shortens those that there are`() {
        scene.take(1)
        scene.advance()
        scene.answer(1, 503)
        let row = scene.row(1)

        let shorter = SendPlace(
            .rules { $0.retry = SendRetry(base: .milliseconds(10), max: .milliseconds(100)) }, to: "x", lanes: ["a"], likeness: "")
        var next = MachineScene("next", isDelivering: false)
        if let row { next.note(row, at: shorter) }

        #expect(next.pause(1) == .milliseconds(100))
    }
}
