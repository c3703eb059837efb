import Pipeline
import Testing

@testable import PipelineSending

/// What a person asks for: `retry` and `drop`.
@Suite struct AskedForTests {
    private var scene = MachineScene()

    private func failed(_ number: Int64, expired: Bool = false) -> SendRow {
        var row = SendRow(
            number: number, id: "s\(number)", name: "edit", arguments: [:], payload: [], owner: "", taken: scene.now, state: .failed)
        (row.tries, row.faults, row.conflicts, row.status, row.detail) = (4, 3, 2, 422, "no")
        (row.firstTry, row.firstUncertain, row.ended) = (scene.now, scene.now, scene.now)
        return row
    }

    private let place = SendPlace(.plain, to: "origin", lanes: ["a"], likeness: "edit")

    @Test mutating func `SD-12 a failed one is put back at its number, and begins anew`() throws {
        scene.take(7)

        let steps = try scene.machine.retry(failed(3), at: place, now: scene.now)

        #expect(steps.words == ["3 waiting"])
        let row = try #require(scene.row(3))
        #expect((row.tries, row.faults, row.conflicts) == (4, 0, 0))
        #expect(row.firstTry == nil)
        #expect(row.firstUncertain == nil)
        #expect(row.status == nil)
        #expect(row.detail == nil)
        #expect(scene.asked() == [3])
        scene.answer(3, 200)
        #expect(scene.asked() == [7])
    }

    @Test mutating func `SD-06 a held one goes out again`() throws {
        scene.take(1, by: .rules { $0.repetition = .never })
        scene.advance()
        scene.end(1, .uncertain("reset"))
        scene.pass(.seconds(1))

        _ = try scene.machine.retry(try #require(scene.row(1)), at: scene.place(1), now: scene.now)

        #expect(scene.asked() == [1])
    }

    @Test mutating func `SD-10 one that is put back in an outage does not fail, though it was first tried long ago`() throws {
        scene.take(1)
        scene.advance()
        scene.answer(1, 500)
        scene.pass(.seconds(200_000))
        let row = try #require(scene.row(1))
        var failed = row
        failed.end(.failed, "status 500", at: scene.now)
        scene.note(failed, at: scene.place(1))

        _ = try scene.machine.retry(failed, at: scene.place(1), now: scene.now)
        scene.advance()
        scene.answer(1, 500)

        #expect(scene.row(1)?.faults == 0)
    }

    @Test mutating func `one that has expired and is put back expires no sooner than a new one`() throws {
        let rules = SendRules.rules { $0.expires = .seconds(100) }
        scene.take(1, by: rules)
        let row = try #require(scene.row(1))
        scene.pass(.seconds(100))
        #expect(scene.advance() == ["1 failed: expired: it was not sent within 1m40s"])
        var expired = row
        expired.end(.failed, "expired", at: scene.now)
        scene.pass(.seconds(1_000))

        _ = try scene.machine.retry(expired, at: scene.place(1), now: scene.now)

        #expect(scene.asked() == [1])
        scene.answer(1, 503)
        // Also in another process.
        var next = scene.nextProcess(later: .seconds(99))
        #expect(next.asked() == [1])
        next.answer(1, 503)
        next.pass(.seconds(1))
        #expect(next.advance() == ["1 failed: expired: it was not sent within 1m40s"])
    }

    @Test(arguments: [SendState.waiting, .sending, .sent, .dropped, .merged])
    mutating func `what neither failed nor is held is not put back`(state: SendState) {
        let row = SendRow(number: 1, id: "a", name: "edit", arguments: [:], payload: [], owner: "", taken: scene.now, state: state)
        let (place, now) = (place, scene.now)

        #expect(throws: OutboxMachine.Refusal(reason: "it is \(state.rawValue)")) { try scene.machine.retry(row, at: place, now: now) }
    }

    @Test mutating func `what the file does not have, or what cannot be read, is not put back`() {
        var (row, now) = (failed(1), scene.now)
        #expect(throws: OutboxMachine.Refusal(reason: "the file has no send `edit`")) { try scene.machine.retry(row, at: nil, now: now) }

        row.hold("unreadable")
        now = scene.now
        #expect(throws: OutboxMachine.Refusal(reason: "it cannot be read")) { try scene.machine.retry(row, at: nil, now: now) }
    }

    @Test mutating func `what this process knows by now decides, and not an older row`() throws {
        scene.take(1, by: .rules { $0.repetition = .never })
        scene.advance()
        scene.end(1, .uncertain("reset"))
        let held = try #require(scene.row(1))
        let (place, now) = (scene.place(1), scene.now)
        _ = try scene.machine.retry(held, at: place, now: now)

        #expect(throws: OutboxMachine.Refusal(reason: "it is waiting")) { try scene.machine.retry(held, at: place, now: now) }
    }

    @Test mutating func `SD-18 one that is put back takes the place of an earlier one that was never tried`() throws {
        let last = SendRules.rules { $0.replacesUntried = true }
        scene.take(1, of: "x", by: last)
        let place = try #require(scene.place(1))
        var row = failed(3)
        row.tries = 0

        let steps = try scene.machine.retry(row, at: place, now: scene.now)

        #expect(steps.words == ["3 waiting"])
        #expect(scene.advance() == ["1 merged: send 3 took its place", "3 sending", "ask 3"])
    }

    // MARK: drop

    @Test mutating func `one that was never tried is given up without more`() throws {
        scene.take(1)
        scene.take(2)

        #expect(try scene.machine.drop(try #require(scene.row(1)), at: scene.now)?.words == ["1 dropped"])
        #expect(scene.asked() == [2])
    }

    @Test mutating func `one that was tried loads its keys, and says if the origin may have it`() throws {
        scene.take(1, in: ["a"])
        scene.take(2, in: ["b"])
        scene.advance()
        scene.answer(1, 503)
        scene.answer(2, 500)

        #expect(try scene.machine.drop(try #require(scene.row(1)), at: scene.now)?.words == ["1 dropped", "load 1"])
        #expect(
            try scene.machine.drop(try #require(scene.row(2)), at: scene.now)?.words
                == ["2 dropped: the origin may have made the change", "load 2"])
    }

    @Test mutating func `SD-06 a held one, and a failed one from the disk`() throws {
        scene.take(1, by: .rules { $0.repetition = .never })
        scene.advance()
        scene.end(1, .uncertain("reset"))

        #expect(
            try scene.machine.drop(try #require(scene.row(1)), at: scene.now)?.words
                == ["1 dropped: the origin may have made the change", "load 1"])
        #expect(
            try scene.machine.drop(failed(9), at: scene.now)?.words == ["9 dropped: the origin may have made the change", "load 9"])
        #expect(scene.machine.rows == [])
    }

    @Test mutating func `one under way waits for its try, and stays sent`() throws {
        scene.take(1)
        scene.advance()

        #expect(try scene.machine.drop(try #require(scene.row(1)), at: scene.now) == nil)

        #expect(scene.state(1) == .sending)
        #expect(scene.answer(1, 200) == ["1 sent"])
    }

    @Test mutating func `one under way is given up when its try has not made the change`() throws {
        scene.take(1, in: ["a"])
        scene.take(2, in: ["b"])
        scene.take(3, in: ["c"])
        scene.advance()
        for number in 1...3 { _ = try scene.machine.drop(try #require(scene.row(Int64(number))), at: scene.now) }

        #expect(scene.answer(1, 503) == ["1 waiting: status 503", "1 dropped", "load 1"])
        #expect(scene.end(2, .uncertain("reset")) == ["2 waiting: reset", "2 dropped: the origin may have made the change", "load 2"])
        #expect(scene.answer(3, 403) == ["3 failed: status 403", "load 3"])
        #expect(scene.machine.rows == [])
    }

    @Test mutating func `one whose tag is looked for is given up at once`() throws {
        scene.take(1, of: "x", by: .rules { $0.hasCondition = true })
        scene.advance()

        #expect(try scene.machine.drop(try #require(scene.row(1)), at: scene.now)?.words == ["1 dropped"])
        #expect(!scene.machine.isBusy)
        #expect(scene.machine.found(1, tag: .success("\"1\""), at: scene.now) == [])
    }

    @Test mutating func `one that is looked for at the origin waits for what is found`() throws {
        for isThere in [true, false] {
            scene = MachineScene()
            scene.take(1, by: .rules { $0.onConflict = .refetch })
            scene.advance()
            scene.end(1, .uncertain("reset"))
            scene.pass(.seconds(90))
            scene.advance()
            scene.answer(1, 412)

            #expect(try scene.machine.drop(try #require(scene.row(1)), at: scene.now) == nil)

            let steps = scene.machine.checked(1, isThere: isThere, tag: nil, at: scene.now)
            #expect(isThere ? steps.words == ["1 sent"] : steps.words.contains("1 dropped: the origin may have made the change"))
        }
    }

    @Test mutating func `a conflict of one that is to be given up is looked at first`() throws {
        scene.take(1)
        scene.advance()
        scene.end(1, .uncertain("reset"))
        scene.pass(.seconds(90))
        scene.advance()
        _ = try scene.machine.drop(try #require(scene.row(1)), at: scene.now)

        #expect(scene.answer(1, 412) == ["check 1"])
        #expect(scene.machine.checked(1, isThere: true, tag: nil, at: scene.now).words == ["1 sent"])
    }

    @Test mutating func `one whose try could not begin after all is given up then`() throws {
        scene.take(1)
        scene.advance()
        _ = try scene.machine.drop(try #require(scene.row(1)), at: scene.now)

        #expect(scene.machine.unbegin(1, until: scene.now).words == ["1 waiting", "1 dropped"])
        #expect(scene.asked() == [])
    }

    @Test mutating func `one that another process tries is not given up here`() throws {
        scene.take(1)
        scene.advance()
        var other = scene.nextProcess()
        let (row, now) = (try #require(other.row(1)), other.now)

        #expect(throws: OutboxMachine.Refusal(reason: "another process tries it at the moment")) { try other.machine.drop(row, at: now) }
    }

    @Test(arguments: [SendState.sent, .dropped, .merged])
    mutating func `what is done is not given up`(state: SendState) {
        let row = SendRow(number: 1, id: "a", name: "edit", arguments: [:], payload: [], owner: "", taken: scene.now, state: state)
        let now = scene.now

        #expect(throws: OutboxMachine.Refusal(reason: "it is \(state.rawValue)")) { try scene.machine.drop(row, at: now) }
    }
}
