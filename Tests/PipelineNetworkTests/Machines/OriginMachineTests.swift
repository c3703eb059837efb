import Pipeline
import PipelineNetwork
import Testing

/// Which request begins, waits or is refused.
@Suite
struct OriginMachineTests {
    // MARK: Permits and priorities

    @Test
    func `NC-02 a lower limit stops no request, and the next begins when enough have ended; a higher one lets all begin`() {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(2)))
        let (first, second) = (play.ask(), play.ask())
        let waiting = (0..<9).map { _ in play.ask() }

        play.limit(to: OriginLimits(concurrency: .fixed(1)))
        play.answer(first)
        #expect(play.begun == [first, second])
        play.answer(second)
        #expect(play.begun == [first, second, waiting[0]])
        play.limit(to: OriginLimits(concurrency: .fixed(8)))

        #expect(play.begun == [first, second] + waiting[..<8])
    }

    @Test
    func `NC-05 one request of high priority begins beyond the limit, a second one waits`() {
        var play = MachinePlay()
        for _ in 0..<6 { play.ask() }

        let high = play.ask(.high)
        let second = play.ask(.high)

        #expect(play.begun.contains(high))
        #expect(!play.begun.contains(second))
    }

    @Test(arguments: [(6, 3), (3, 1), (1, 1)])
    func `NC-07 background fills at most half of the limit`(limit: Int, most: Int) {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(limit)))

        for _ in 0..<10 { play.ask(.background) }
        for _ in 0..<10 { play.ask(.low) }

        #expect(play.begun.count == most)
    }

    @Test
    func `NC-08 a request of low priority runs within 30 s under a hundred of high priority each second`() {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(5), queue: .max))
        var underWay: [RequestNumber] = []
        for _ in 0..<5 { underWay.append(play.ask(.high)) }
        let low = play.ask(.low)
        var seen = play.begun.count

        for step in 0..<6_000 where !play.begun.contains(low) {
            play.ask(.high)
            play.pass(.milliseconds(10))
            // The origin bears 50 a second.
            if step.isMultiple(of: 2) { play.answer(underWay.removeFirst()) }
            underWay += play.begun[seen...]
            seen = play.begun.count
        }

        #expect(play.begun.contains(low))
        #expect(play.now <= Timestamp(nanoseconds: 30_000_000_000))
    }

    @Test
    func `NC-06 a raised request goes before the less important and after its equals, and first when it is lowered again`() {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(1)))
        let first = play.ask()
        let (other, normal, high) = (play.ask(.background), play.ask(.normal), play.ask(.high))
        let raised = play.ask(.background)
        #expect(play.begun == [first, high])

        play.move(raised, to: .high)
        play.move(normal, to: .high)
        play.move(normal, to: .normal)
        play.move(raised, to: .background)
        let late = play.ask(.normal)

        for number in [high, first, normal, late, raised] { play.answer(number) }
        #expect(play.begun == [first, high, normal, late, raised, other])
    }

    @Test
    func `a full queue refuses the newest of the least important`() {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(1), queue: 2))
        play.ask()
        let (older, newer) = (play.ask(.low), play.ask(.low))

        let normal = play.ask(.normal)
        let low = play.ask(.low)

        #expect(play.refused == [newer: .queueFull(waiting: 2), low: .queueFull(waiting: 2)])
        #expect(play.refused[low]?.description == "2 requests wait already, no more may")
        #expect(play.snapshot.waiting == 2)
        _ = (older, normal)
    }

    @Test
    func `limits that come before anything is measured begin where they say, and later ones only bound`() {
        var play = MachinePlay()
        play.limit(to: OriginLimits(concurrency: .auto(begin: 32, max: 64)))
        #expect(play.limit == 32)
        play.answers(3)

        play.limit(to: OriginLimits(concurrency: .auto(begin: 6, max: 16)))
        #expect(play.limit == 16)
        play.limit(to: OriginLimits(concurrency: .auto(begin: 20, max: 256)))
        #expect(play.limit == 16)
    }

    @Test
    func `a rest until a moment that is over is none`() {
        var play = MachinePlay()
        play.rest(until: play.now)

        #expect(play.snapshot.restUntil == nil)
        #expect(play.limit == 6)
    }

    // MARK: Deadlines

    @Test
    func `NC-09 what cannot be answered in time fails at once, and says the numbers`() {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(1)))
        var underWay = play.ask()
        for _ in 0..<64 { play.ask() }
        for _ in 0..<25 {
            play.pass(.milliseconds(100))
            play.answer(underWay)
            underWay = play.begun.last ?? 0
        }
        #expect(play.snapshot.waiting == 39)
        play.ask()

        let late = play.ask(within: .seconds(1))
        let early = play.ask(within: .seconds(10))

        #expect(play.refused[late]?.description == "40 requests wait, expected 5s, 1s is left")
        #expect(play.refused[early] == nil)
    }

    @Test
    func `NC-09 with fewer than 20 samples it waits`() {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(1)))
        var underWay = play.ask()
        for _ in 0..<59 { play.ask() }
        for _ in 0..<19 {
            play.pass(.milliseconds(100))
            play.answer(underWay)
            underWay = play.begun.last ?? 0
        }

        let late = play.ask(within: .seconds(1))

        #expect(play.refused[late] == nil)
    }

    @Test
    func `when the oldest would miss its deadline the newest is first, until none has waited over half of its time`() {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(1)))
        play.answers(11, in: .milliseconds(50))
        play.answers(9, in: .milliseconds(200))
        var underWay = play.ask()
        let old = (0..<2).map { _ in play.ask(within: .seconds(1)) }
        play.pass(.milliseconds(900))
        let young = (0..<3).map { _ in play.ask(within: .seconds(1)) }

        for _ in 0..<2 {
            play.answer(underWay)
            underWay = play.begun.last ?? 0
        }
        #expect(play.begun.suffix(2) == [young[2], young[1]])

        play.pass(.milliseconds(60))
        play.answer(underWay)
        #expect(play.refused.keys.sorted() == old)
        #expect(play.begun.last == young[0])
    }

    // MARK: Rate

    @Test
    func `CB-08 a burst begins at once, the rest at the rate and in order, and who leaves takes no token`() {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(100), rate: 10, burst: 3))

        let all = (0..<8).map { _ in play.ask() }
        #expect(play.begun == Array(all[..<3]))
        play.leave(all[3])
        play.pass(.milliseconds(100))
        #expect(play.begun == Array(all[..<3]) + [all[4]])
        play.pass(.milliseconds(350))

        #expect(play.begun == Array(all[..<3]) + Array(all[4...7]))
        #expect(play.nextMoment == nil)
    }

    // MARK: Rests

    @Test
    func `NC-18 after 429 none is asked until the rest ends; then one, two, four`() {
        var play = MachinePlay()
        let first = play.ask()
        for _ in 0..<9 { play.ask() }
        play.answer(first, 429, retryAfter: .seconds(20))

        #expect(play.refused.count == 4)
        #expect(play.events.contains(.rested(until: play.now + .seconds(20), source: "")))
        for number in play.begun.dropFirst() { play.end(number, .cancelled) }
        play.pass(.seconds(19))
        let early = play.ask()
        #expect(play.refused[early]?.description == "asked to wait 1s")
        play.pass(.seconds(1))
        var answered = play.begun.count
        for _ in 0..<30 { play.ask(.high) }

        for count in [1, 2, 4] {
            let underWay = play.begun[answered...]
            #expect(underWay.count == count)
            answered += count
            play.pass(.milliseconds(50))
            for number in underWay { play.answer(number) }
        }
    }

    @Test
    func `a rest that the origin did not name doubles from a second to a minute, half more or less`() {
        var play = MachinePlay()
        var lengths: [Double] = []

        for _ in 0..<2 { play.answer(play.ask(), 503) }
        #expect(play.rest == nil)
        for _ in 0..<9 {
            let number = play.ask()
            play.answer(number, 503)
            let rest = play.rest?.duration(since: play.now) ?? .zero
            lengths.append(rest.milliseconds)
            play.pass(rest + .milliseconds(1))
        }

        for (index, length) in lengths.enumerated() {
            let usual = Swift.min(60_000, 1_000 * Double(1 << index))
            #expect((0.5 * usual...1.5 * usual).contains(length))
        }
    }

    @Test
    func `many 503 of one moment are one rest`() {
        var play = MachinePlay()
        let all = (0..<6).map { _ in play.ask() }

        for number in all { play.answer(number, 503) }

        #expect(play.rest.map { $0.duration(since: play.now) <= .milliseconds(1_500) } == true)
    }

    @Test
    func `no rest is longer than an hour`() {
        var play = MachinePlay()
        play.answer(play.ask(), 429, retryAfter: .seconds(1_000_000))

        #expect(play.rest == play.now + .seconds(3_600))
    }

    // MARK: Failures

    @Test(arguments: [413, 404, 401])
    func `NC-17 an answer about the request changes neither limit nor budget`(status: Int) {
        var play = MachinePlay()

        play.answers(200, status: status)

        #expect(play.limit == 6)
        #expect(play.snapshot.budget == 5)
        #expect(play.snapshot.errors == 0)
        #expect(play.rest == nil)
    }

    @Test
    func `NC-21 an outage has 5 retries, and 25 answers give 5 again`() {
        var play = MachinePlay()
        var retries = 0
        for _ in 0..<50 {
            play.end(play.ask(), .failed)
            if play.retryToken() { retries += 1 }
        }
        #expect(retries == 5)

        play.answers(24)
        var tokens = 0
        while play.retryToken() { tokens += 1 }
        #expect(tokens == 4)
        play.answers(1)
        let next = play.retryToken()
        #expect(next)
    }

    @Test
    func `a retry that is not sent gives its token back`() {
        var play = MachinePlay()
        for _ in 0..<5 { _ = play.retryToken() }

        play.giveBackRetryToken()

        #expect(play.snapshot.budget == 1)
        for _ in 0..<9 { play.giveBackRetryToken() }
        #expect(play.snapshot.budget == 5)
    }

    @Test
    func `after a minute without requests the limit begins again`() {
        var play = MachinePlay()
        for _ in 0..<5 {
            let all = (0..<play.limit).map { _ in play.ask() }
            play.pass(.milliseconds(100))
            for number in all { play.answer(number) }
        }
        #expect(play.limit > 6)
        let measured = play.limit
        play.pass(.seconds(59))
        play.answer(play.ask())
        #expect(play.limit >= measured)

        play.pass(.seconds(60))
        play.ask()

        #expect(play.limit == 6)
    }
}
