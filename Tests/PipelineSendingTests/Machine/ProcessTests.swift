import Pipeline
import Testing

@testable import PipelineSending

/// Processes that share an outbox, and those that end.
@Suite struct ProcessTests {
    private var scene = MachineScene()

    @Test(arguments: [SendRepetition.always, .byID, .never])
    mutating func `SD-04 the try of a process that was killed is uncertain`(repetition: SendRepetition) {
        scene.take(1, by: .rules { $0.repetition = repetition })
        scene.advance()
        var next = scene.nextProcess()
        #expect(next.asked() == [])

        let steps = next.machine.recover(1, at: next.now)

        let words = "its process ended before the answer came"
        #expect(steps.words == (repetition == .never ? ["1 held: uncertain: \(words)"] : ["1 waiting: \(words)"]))
        // Without a pause: nothing says that the target is not well.
        #expect(next.asked() == (repetition == .never ? [] : [1]))
        #expect(next.row(1)?.faults == 0)
    }

    @Test mutating func `SD-04 one that was taken in, one that waits, and one that is sent go on where they were`() {
        scene.take(1, in: ["a"])
        scene.take(2, in: ["b"])
        scene.advance()
        scene.answer(1, 200)
        scene.answer(2, 503)
        scene.take(3, in: ["b"])

        var next = scene.nextProcess(later: .seconds(1))

        #expect(next.machine.rows.map(\.state) == [.sent, .waiting, .waiting])
        #expect(next.asked() == [2])
        #expect(next.machine.settled(1).words == ["1 sent"])
    }

    @Test mutating func `only what is sending, and not tried here, is recovered`() {
        scene.take(1, in: ["a"])
        scene.take(2, in: ["b"])
        scene.advance()
        scene.answer(2, 503)

        #expect(scene.machine.recover(1, at: scene.now) == [])
        #expect(scene.machine.recover(2, at: scene.now) == [])
        #expect(scene.machine.recover(3, at: scene.now) == [])
    }

    @Test mutating func `the try of a kind that the file does not have is uncertain for a person`() {
        scene.take(1)
        scene.advance()
        var next = MachineScene("next")
        if let row = scene.row(1) { next.note(row, at: nil) }

        #expect(next.machine.recover(1, at: next.now).words == ["1 held: uncertain: its process ended before the answer came"])
    }

    @Test mutating func `news that are older than what this process did change nothing`() throws {
        scene.take(1)
        let waiting = try #require(scene.row(1))
        scene.advance()
        let sending = try #require(scene.row(1))

        #expect(scene.note(waiting, at: scene.place(1)) == [])
        #expect(scene.state(1) == .sending)
        scene.answer(1, 503)
        #expect(scene.note(sending, at: scene.place(1)) == [])
        #expect(scene.note(waiting, at: scene.place(1)) == [])

        #expect(scene.state(1) == .waiting)
        #expect(scene.row(1)?.tries == 1)
        #expect(scene.machine.triedElsewhere == [])
    }

    @Test mutating func `what another process did with a row holds here`() throws {
        scene.take(1, in: ["a"])
        scene.take(2, in: ["a"])
        var other = scene.nextProcess()
        other.advance()
        scene.note(try #require(other.row(1)), at: scene.place(1))
        #expect(scene.state(1) == .sending)

        var failed = try #require(other.row(1))
        failed.end(.failed, "status 403", at: other.now)
        scene.note(failed, at: scene.place(1))

        #expect(scene.row(1) == nil)
        #expect(scene.asked() == [2])
    }

    @Test mutating func `SD-21 a process that was stopped during its try notes the answer, if that says that it is sent`() throws {
        scene.take(1, by: .byID)
        scene.advance()
        var other = scene.nextProcess("other", later: .seconds(40))
        _ = other.machine.recover(1, at: other.now)
        other.advance()
        #expect(other.row(1)?.tries == 2)
        other.answer(1, 503)

        #expect(scene.note(try #require(other.row(1)), at: scene.place(1)) == [])
        #expect(scene.machine.isBusy)
        #expect(scene.answer(1, 200) == ["1 sent"])

        // And the other process takes it from there.
        other.note(try #require(scene.row(1)), at: other.place(1))
        #expect(other.state(1) == .sent)
    }

    @Test(arguments: [503, 500, 403, 409]) mutating func `SD-21 any other answer of its try is none of its business any more`(status: Int)
        throws
    {
        scene.take(1, by: .byID)
        scene.advance()
        var other = scene.nextProcess("other", later: .seconds(40))
        _ = other.machine.recover(1, at: other.now)
        scene.note(try #require(other.row(1)), at: scene.place(1))

        #expect(scene.answer(1, status) == [])

        #expect(scene.row(1) == other.row(1))
    }

    @Test mutating func `SD-21 what another process ended meanwhile is not begun again`() throws {
        scene.take(1, by: .byID)
        scene.advance()
        var dropped = try #require(scene.row(1))
        dropped.end(.dropped, nil, at: scene.now)
        scene.note(dropped, at: scene.place(1))

        #expect(scene.end(1, .unprocessed("no route")) == [])

        #expect(scene.row(1) == nil)
        #expect(scene.asked() == [])
    }

    @Test mutating func `nobody takes back that a send is sent`() throws {
        scene.take(1, by: .byID)
        scene.advance()
        var other = scene.nextProcess("other", later: .seconds(40))
        _ = other.machine.recover(1, at: other.now)
        scene.answer(1, 200)

        #expect(scene.note(try #require(other.row(1)), at: scene.place(1)) == ["1 sent"])
        #expect(scene.state(1) == .sent)
    }

    @Test mutating func `a late answer to an earlier try, which another process noted, ends the tries here`() throws {
        scene.take(1, by: .byID)
        scene.advance()
        var other = scene.nextProcess("other", later: .seconds(40))
        _ = other.machine.recover(1, at: other.now)
        other.advance()
        other.answer(1, 503)
        scene.answer(1, 200)

        other.note(try #require(scene.row(1)), at: other.place(1))

        #expect(other.state(1) == .sent)
        #expect(other.asked() == [])
    }

    @Test mutating func `what is done for good does not come back with old news`() throws {
        scene.take(1)
        let waiting = try #require(scene.row(1))
        _ = try scene.machine.drop(waiting, at: scene.now)

        scene.note(waiting, at: scene.place(1))

        #expect(scene.row(1) == nil)
    }

    @Test mutating func `SD-21 a try that was to begin does not where another process has changed the row`() throws {
        scene.take(1)
        scene.take(2)
        var dropped = try #require(scene.row(1))
        dropped.end(.dropped, nil, at: scene.now)
        scene.advance()
        let begun = try #require(scene.row(1))

        let steps = scene.machine.overruled(begun, by: dropped, at: scene.place(1), now: scene.now)

        #expect(steps == [])
        #expect(scene.row(1) == nil)
        #expect(!scene.machine.isBusy)
        #expect(scene.asked() == [2])
    }

    @Test mutating func `a row that could not be written gives way, unless it is sent`() throws {
        scene.take(1, by: .byID)
        scene.advance()
        var other = scene.nextProcess("other", later: .seconds(40))
        _ = other.machine.recover(1, at: other.now)
        let recovered = try #require(other.row(1))
        scene.answer(1, 200)
        let sent = try #require(scene.row(1))

        #expect(scene.machine.overruled(sent, by: recovered, at: scene.place(1), now: scene.now).words == ["1 sent"])
        var failed = sent
        failed.end(.failed, "status 403", at: scene.now)

        #expect(scene.machine.overruled(failed, by: recovered, at: scene.place(1), now: scene.now) == [])
        #expect(scene.row(1)?.state == .waiting)
    }

    @Test mutating func `one that another process tried after it was to be given up here is given up when that one has ended`() throws {
        scene.take(1, by: .byID)
        scene.advance()
        _ = try scene.machine.drop(try #require(scene.row(1)), at: scene.now)
        var other = scene.nextProcess("other", later: .seconds(40))
        _ = other.machine.recover(1, at: other.now)
        other.advance()
        scene.note(try #require(other.row(1)), at: scene.place(1))
        #expect(scene.answer(1, 503) == [])
        #expect(scene.state(1) == .sending)

        let steps = scene.machine.recover(1, at: scene.now)

        #expect(
            steps.words == [
                "1 waiting: its process ended before the answer came", "1 dropped: the origin may have made the change", "load 1",
            ])
    }

    @Test mutating func `one that is to be given up here is given up when another process lets go of it`() throws {
        scene.take(1, by: .byID)
        scene.advance()
        _ = try scene.machine.drop(try #require(scene.row(1)), at: scene.now)
        var other = scene.nextProcess("other", later: .seconds(40))
        _ = other.machine.recover(1, at: other.now)
        scene.note(try #require(other.row(1)), at: scene.place(1))

        #expect(scene.answer(1, 503) == ["1 dropped: the origin may have made the change", "load 1"])
    }
}
