import Pipeline
import Testing

@testable import PipelineSending

@Suite struct PauseTests {
    private var scene = MachineScene()

    @Test(arguments: [0, 0.25, 0.5, 0.75])
    func `a pause is a random time up to the least of max and base × 2^k`(draw: Double) {
        var scene = MachineScene(drawing: draw)
        scene.take(1, by: .rules { $0.retry = SendRetry(base: .seconds(1), max: .seconds(60)) })

        for longest in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            #expect(scene.asked() == [1])
            scene.answer(1, 503)
            #expect(scene.pause(1) == .seconds(longest) * draw)
            scene.pass(.seconds(longest))
        }
    }

    @Test func `a pause never reaches beyond max, however long the outage`() {
        var scene = MachineScene(drawing: 0.999_999)
        scene.take(1, by: .rules { $0.retry = SendRetry(base: .seconds(1), max: .seconds(60)) })

        for _ in 0..<200 {
            #expect(scene.asked() == [1])
            scene.end(1, .uncertain("reset"))
            #expect(scene.pause(1).map { $0 <= .seconds(60) } == true)
            scene.pass(.seconds(60))
        }
    }

    @Test mutating func `tries that fail together are one failure`() {
        for number in 1...5 { scene.take(Int64(number), in: ["\(number)"]) }
        scene.advance()

        for number in 1...5 { scene.answer(Int64(number), 503) }

        #expect((1...5).map { scene.pause(Int64($0)) } == Array(repeating: .milliseconds(500), count: 5))
    }

    @Test mutating func `SD-09 a target that wants to be left alone is not asked before, and another one goes at once`() {
        scene.take(1)
        scene.take(2)
        scene.take(3, in: ["b"])
        scene.take(4, in: ["c"], to: "another")
        scene.advance()

        scene.answer(1, 503, notBefore: .seconds(5))
        scene.answer(3, 200)
        scene.answer(4, 200)
        scene.take(5, in: ["d"], to: "another")

        #expect(scene.asked() == [5])
        #expect(scene.wake == .seconds(5))
        #expect(scene.row(1)?.notBefore == scene.now + .seconds(5))
        scene.pass(.milliseconds(4_999))
        #expect(scene.asked() == [])
        scene.pass(.milliseconds(1))
        #expect(scene.asked() == [1])
        scene.answer(1, 200)
        #expect(scene.asked() == [2])
    }

    @Test mutating func `the whole target rests`() {
        scene.take(1, in: ["a"])
        scene.advance()
        scene.answer(1, 429, notBefore: .seconds(5))

        scene.take(2, in: ["b"])

        #expect(scene.asked() == [])
        #expect(scene.wake == .seconds(5))
    }

    @Test mutating func `another failure does not shorten what the origin has asked for`() {
        scene.take(1, in: ["a"])
        scene.take(2, in: ["b"])
        scene.take(3, in: ["c"])
        scene.advance()

        scene.answer(1, 503, notBefore: .seconds(300))
        scene.answer(2, 503)

        scene.pass(.seconds(299))
        #expect(scene.asked() == [])
        #expect(scene.wake == .seconds(1))
    }

    @Test mutating func `an origin may ask for an hour at most`() {
        scene.take(1)
        scene.advance()

        scene.answer(1, 503, notBefore: .seconds(90_000))

        #expect(scene.asked() == [])
        #expect(scene.wake == .seconds(3_600))
    }

    @Test mutating func `a pause that is longer than what the origin asks for holds`() {
        scene = MachineScene(drawing: 0.75)
        scene.take(1)
        scene.advance()

        scene.answer(1, 503, notBefore: .milliseconds(10))

        scene.advance()
        #expect(scene.wake == .milliseconds(750))
    }

    @Test mutating func `SD-06 a held one pauses its target, too`() {
        scene.take(1, in: ["a"], by: .rules { $0.repetition = .never })
        scene.take(2, in: ["a"])
        scene.advance()

        scene.end(1, .uncertain("reset"))

        #expect(scene.asked() == [])
        #expect(scene.wake == .milliseconds(500))
    }

    @Test mutating func `after a rest one tries, and the others when that has come to something else`() {
        for number in 1...4 { scene.take(Int64(number), in: ["\(number)"]) }
        scene.advance()
        for number in 1...4 { scene.answer(Int64(number), 503) }
        scene.pass(.seconds(1))

        #expect(scene.asked() == [1])
        #expect(scene.asked() == [])
        scene.answer(1, 200)
        #expect(scene.asked() == [2, 3, 4])
    }

    @Test(arguments: [200, 400, 403, 409, 412, 501])
    func `whatever proves that the target is well lets all go`(status: Int) {
        var scene = MachineScene()
        for number in 1...3 { scene.take(Int64(number), in: ["\(number)"]) }
        scene.advance()
        for number in 1...3 { scene.answer(Int64(number), 503) }
        scene.pass(.seconds(1))
        scene.advance()

        scene.answer(1, status)

        #expect(scene.asked() == [2, 3])
    }

    @Test mutating func `also when the target had asked for a rest`() {
        scene.take(1, in: ["a"])
        scene.take(2, in: ["b"])
        scene.take(3, in: ["b"])
        scene.advance()
        scene.answer(1, 503, notBefore: .seconds(300))

        scene.answer(2, 200)

        // The one that was answered so waits by itself.
        #expect(scene.asked() == [3])
        #expect(scene.wake == .seconds(300))
    }

    @Test mutating func `each time another lane tries, until all had their turn`() {
        for number in 1...3 { scene.take(Int64(number), in: ["\(number)"]) }
        scene.advance()
        for number in 1...3 { scene.answer(Int64(number), 500) }

        var tried: [Int64] = []
        for _ in 0..<7 {
            scene.pass(.seconds(60))
            let asked = scene.asked()
            tried += asked
            for number in asked { scene.answer(number, 500) }
        }

        #expect(tried == [1, 2, 3, 1, 2, 3, 1])
    }

    @Test mutating func `a rest ends when no try is under way any more that began before it`() {
        scene.take(1, in: ["a"])
        scene.take(2, in: ["b"])
        scene.advance()
        scene.answer(1, 503)
        scene.pass(.seconds(1))

        #expect(scene.asked() == [])
        scene.answer(2, 503)
        scene.pass(.seconds(1))
        #expect(scene.asked() == [1])
    }

    @Test mutating func `flush ends pauses, but not what the origin has asked for`() {
        scene.take(1, in: ["a"], to: "one")
        scene.take(2, in: ["b"], to: "two")
        scene.advance()
        scene.answer(1, 503)
        scene.answer(2, 503, notBefore: .seconds(30))
        scene.take(3, in: ["c"], to: "two")

        scene.machine.endPauses()

        #expect(scene.asked() == [1])
        #expect(scene.wake == .seconds(30))
        scene.pass(.seconds(30))
        #expect(scene.asked() == [2])
    }

    @Test mutating func `a file that is read again ends pauses, but not what the origin has asked for`() {
        scene.take(1, in: ["a"], to: "one")
        scene.take(2, in: ["b"], to: "two")
        scene.advance()
        scene.answer(1, 401)
        scene.answer(2, 401, notBefore: .seconds(30))

        let places = scene.places
        _ = scene.machine.declare(at: scene.now) { places[$0.number] }

        #expect(scene.asked() == [1])
        #expect(scene.wake == .seconds(30))
    }

    @Test mutating func `a new process ends pauses, but not what the origin has asked for`() {
        scene.take(1, in: ["a"], to: "one")
        scene.take(2, in: ["b"], to: "two")
        scene.advance()
        scene.answer(1, 503)
        scene.answer(2, 503, notBefore: .seconds(30))

        var next = scene.nextProcess(isDelivering: false)
        // As long as the other one delivers, the pauses are what it says.
        #expect(next.row(1)?.next == scene.row(1)?.next)
        next.machine.isDelivering = true
        next.take(3, in: ["c"], to: "two")

        #expect(next.asked() == [1])
        #expect(next.wake == .seconds(30))
    }

    @Test mutating func `a lease that is lost for a moment ends no pause`() {
        scene.take(1)
        scene.advance()
        scene.answer(1, 503)

        scene.machine.isDelivering = false
        scene.machine.isDelivering = true

        #expect(scene.asked() == [])
    }

    @Test func `SD-23 whatever the clock did, no pause is longer than max, and none that an origin asked for longer than an hour`() {
        var scene = MachineScene(isDelivering: false)
        var row = SendRow(number: 1, id: "s1", name: "edit", arguments: [:], payload: [], owner: "", taken: scene.now)
        row.tries = 3
        row.next = scene.now + .seconds(172_800)
        scene.note(row, at: SendPlace(.plain, to: "one", lanes: ["a"], likeness: ""))
        #expect(scene.pause(1) == .seconds(60))

        row.notBefore = scene.now + .seconds(172_800)
        scene.note(row, at: SendPlace(.plain, to: "one", lanes: ["a"], likeness: ""))
        scene.machine.isDelivering = true
        #expect(scene.asked() == [])
        #expect(scene.wake == .seconds(3_600))
    }

    @Test mutating func `one that is done or held has no pause`() throws {
        scene.take(1, in: ["a"])
        scene.advance()
        scene.answer(1, 503, notBefore: .seconds(30))

        let steps = try scene.machine.drop(try #require(scene.row(1)), at: scene.now)

        guard case .changed(let row)? = steps?.first else { return #expect(Bool(false), "nothing has changed") }
        #expect(SendStatus(row).next == nil)
    }
}
