import Pipeline
import Testing

@testable import PipelineSending

/// Which tries count for `attempts`: an outage fails nothing.
@Suite struct FaultTests {
    private var scene = MachineScene()

    /// A send of another lane is answered, well unless said otherwise. Those that rest with it wait for that.
    private mutating func answerAnother(_ number: Int64, _ status: Int = 200) {
        scene.take(number, in: ["another \(number)"])
        #expect(scene.asked() == [number])
        scene.answer(number, status)
        _ = scene.machine.settled(number)
    }

    @Test mutating func `SD-10 one that fails while others are answered well fails after so many tries, and holds nothing up`() {
        scene.take(1)
        scene.take(2)
        #expect(scene.asked() == [1])
        for other in 10...18 {
            answerAnother(Int64(other))
            #expect(scene.answer(1, 500) == ["1 waiting: status 500"])
            scene.pass(.seconds(1))
            answerAnother(Int64(other + 10))
            #expect(scene.asked() == [1])
        }

        let steps = scene.answer(1, 500)

        #expect(steps == ["1 failed: status 500, in each of 10 tries while others were answered"])
        scene.pass(.seconds(1))
        #expect(scene.asked() == [2])
    }

    @Test mutating func `SD-10 an origin that answers 500 to all for three hours fails none, and gets about two requests a minute`() {
        scene.machine = OutboxMachine(holder: "here", random: .seeded(7))
        scene.machine.isDelivering = true
        for number in 1...20 { scene.take(Int64(number), in: ["\(number % 6)"]) }
        let begin = scene.now
        var requests: [Duration] = []

        while scene.now < begin + .seconds(10_800) {
            for number in scene.asked() {
                requests.append(scene.now.duration(since: begin))
                scene.answer(number, 500)
            }
            scene.advance()
            scene.pass(scene.wake ?? .seconds(1))
        }

        #expect(scene.machine.rows.map(\.state) == Array(repeating: .waiting, count: 20))
        #expect(scene.machine.rows.map(\.faults) == Array(repeating: 0, count: 20))
        let perHour = requests.count { $0 >= .seconds(3_600) } / 2
        #expect((90...150).contains(perHour), "\(perHour) an hour")
    }

    @Test mutating func `a try counts when others were answered well while it ran, or since the last one`() {
        scene.take(1)
        scene.advance()
        answerAnother(2)
        scene.answer(1, 500)
        #expect(scene.row(1)?.faults == 1)
        scene.pass(.seconds(1))

        #expect(scene.asked() == [1])
        scene.answer(1, 500)
        #expect(scene.row(1)?.faults == 1)

        scene.pass(.seconds(2))
        answerAnother(3)
        #expect(scene.asked() == [1])
        scene.end(1, .uncertain("reset"))
        #expect(scene.row(1)?.faults == 2)
    }

    @Test mutating func `what was answered before the first try does not count`() {
        answerAnother(1)
        scene.take(2)
        #expect(scene.asked() == [2])

        scene.answer(2, 500)

        #expect(scene.row(2)?.faults == 0)
    }

    @Test mutating func `what was answered while it waited for its first try does not count`() {
        scene.take(1)
        scene.take(2)
        scene.advance()
        scene.answer(1, 200)
        #expect(scene.asked() == [2])

        scene.answer(2, 500)

        #expect(scene.row(2)?.faults == 0)
    }

    @Test(arguments: [503, 401, 429]) mutating func `a try that was not processed never counts, however old`(status: Int) {
        scene.take(1)
        scene.advance()
        for number in 2...30 {
            scene.answer(1, status)
            scene.pass(.seconds(7_200))
            answerAnother(Int64(number))
            #expect(scene.asked() == [1])
        }

        #expect(scene.row(1)?.faults == 0)
    }

    @Test mutating func `a refusal or a conflict of another one is no good answer`() {
        for status in [403, 409, 404] {
            scene.take(1)
            scene.take(2, in: ["b"])
            scene.advance()
            scene.answer(2, status)

            scene.answer(1, 500)

            #expect(scene.row(1)?.faults == 0)
            scene = MachineScene()
        }
    }

    @Test mutating func `from a day after the first try on each one counts`() {
        scene.take(1, by: .plain)
        scene.advance()
        scene.answer(1, 500)
        scene.pass(.seconds(86_399))
        scene.advance()
        scene.answer(1, 500)
        #expect(scene.row(1)?.faults == 0)

        for _ in 1...9 {
            scene.pass(.seconds(60))
            scene.advance()
            #expect(scene.answer(1, 500) == ["1 waiting: status 500"])
        }
        scene.pass(.seconds(60))
        scene.advance()

        #expect(scene.answer(1, 500) == ["1 failed: status 500, in each of 12 tries while others were answered"])
    }

    @Test mutating func `the tries that count stand on the disk`() {
        scene.take(1)
        scene.advance()
        answerAnother(2)
        scene.answer(1, 500)

        let next = scene.nextProcess()

        #expect(next.row(1)?.faults == 1)
    }

    @Test mutating func `SD-07 one that only its id makes repeatable is not repeated a day after its first uncertain try`() {
        scene.take(1, in: ["id"], by: .byID)
        scene.take(2, in: ["put"])
        scene.advance()
        scene.pass(.seconds(20))
        scene.end(1, .uncertain("timeout"))
        scene.end(2, .uncertain("timeout"))

        // The clock of the origin runs since the try began.
        scene.pass(.seconds(86_400 - 20))

        #expect(scene.advance() == ["1 held: uncertain: the origin may have forgotten the id of its first try", "2 sending", "ask 2"])
    }

    @Test mutating func `SD-07 tries that were not processed do not begin that time`() {
        scene.take(1, by: .byID)
        for _ in 0..<30 {
            #expect(scene.asked() == [1])
            scene.answer(1, 503)
            scene.pass(.seconds(7_200))
        }
        #expect(scene.asked() == [1])
        scene.answer(1, 500)
        scene.pass(.seconds(80_000))

        #expect(scene.asked() == [1])
        scene.answer(1, 503)
        scene.pass(.seconds(7_200))
        #expect(scene.asked() == [])
        #expect(scene.state(1) == .held)
    }

    @Test mutating func `SD-07 the try of a process that was killed began when it was marked, not when that is noticed`() {
        scene.take(1, by: .byID)
        scene.advance()

        var soon = scene.nextProcess(later: .seconds(86_399))
        #expect(soon.machine.recover(1, at: soon.now).words == ["1 waiting: its process ended before the answer came"])
        #expect(soon.asked() == [1])

        var late = scene.nextProcess(later: .seconds(86_400))
        _ = late.machine.recover(1, at: late.now)
        #expect(late.advance() == ["1 held: uncertain: the origin may have forgotten the id of its first try"])
    }

    @Test mutating func `SD-07 after two days of an outage the try of a process that was killed is as old as that try`() {
        scene.take(1, by: .byID)
        scene.advance()
        scene.answer(1, 503)
        scene.pass(.seconds(172_800))
        scene.advance()

        var soon = scene.nextProcess(later: .seconds(1))
        _ = soon.machine.recover(1, at: soon.now)
        #expect(soon.asked() == [1])

        var late = scene.nextProcess(later: .seconds(86_400))
        _ = late.machine.recover(1, at: late.now)
        #expect(late.asked() == [])
        #expect(late.state(1) == .held)
    }

    @Test mutating func `SD-23 a clock that was put back makes no try younger than it is seen to be`() {
        var row = SendRow(number: 1, id: "s1", name: "edit", arguments: [:], payload: [], owner: "", taken: scene.now)
        row.tries = 1
        (row.firstTry, row.firstUncertain) = (scene.now + .seconds(172_800), scene.now + .seconds(172_800))
        scene.note(row, at: SendPlace(.byID, to: "origin", lanes: ["a"], likeness: ""))

        scene.pass(.seconds(86_400))

        #expect(scene.advance() == ["1 held: uncertain: the origin may have forgotten the id of its first try"])
    }

    @Test mutating func `what is not sent in time has failed, by the clock`() {
        scene.take(1, by: .rules { $0.expires = .seconds(604_800) })
        scene.take(2, by: .rules { $0.expires = nil })
        scene.take(3, in: ["b"], by: .rules { $0.expires = .seconds(604_801) })
        scene.advance()
        scene.answer(1, 503, notBefore: .seconds(60))
        scene.answer(3, 200)

        #expect(scene.asked() == [])
        scene.pass(.seconds(604_800))

        #expect(scene.advance() == ["1 failed: expired: it was not sent within 7d", "2 sending", "ask 2"])
    }

    @Test mutating func `the machine wakes when the next one expires, and one under way does not`() {
        scene.take(1, in: ["a"], by: .rules { $0.expires = .seconds(10) })
        scene.take(2, in: ["a"], by: .rules { $0.expires = .seconds(20) })
        #expect(scene.asked() == [1])

        scene.pass(.seconds(15))
        #expect(scene.advance() == [])
        #expect(scene.wake == .seconds(5))
        scene.pass(.seconds(5))
        #expect(scene.advance() == ["2 failed: expired: it was not sent within 20s"])
        #expect(scene.answer(1, 200) == ["1 sent"])
    }
}
