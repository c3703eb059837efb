import Pipeline
import PipelineNetwork
import Testing

/// Who rests after 429 and 503.
@Suite
struct OriginRestsTests {
    private let stock = RequestAsker(source: "stock")
    private let ads = RequestAsker(source: "ads")
    private let echo = RequestAsker(source: "echo")

    private func optional(_ source: String) -> RequestAsker { RequestAsker(source: source, isOptional: true) }

    @Test(arguments: [
        (RequestAsker(source: "stock", credentials: 1), true), (RequestAsker(source: "stock", credentials: 1, isOptional: true), true),
        (RequestAsker(source: "stock", credentials: 2), false), (RequestAsker(source: "echo", credentials: 1), false),
    ])
    func `who was told to wait rests, and no other token or source`(asker: RequestAsker, rests: Bool) {
        var play = MachinePlay()
        play.answer(play.ask(as: RequestAsker(source: "stock", credentials: 1)), 429, retryAfter: .seconds(60))

        #expect((play.restUntil(asker) != nil) == rests)
        #expect((play.refusal(of: asker) != nil) == rests)
        #expect(play.snapshot.restUntil == nil && play.limit > 1)
    }

    @Test(arguments: [([503, 503], false), ([503, 503, 503], true), ([503, 503, 200, 503, 503], false), ([429, 500, 503, 429], true)])
    func `without a time three in a row begin a rest`(statuses: [Int], rests: Bool) {
        var play = MachinePlay()
        for status in statuses { play.answer(play.ask(as: stock), status) }

        #expect((play.restUntil(stock) != nil) == rests)
    }

    @Test
    func `two sources that rest after a 503 rest the origin for the shorter time, then one is asked`() {
        var play = MachinePlay()
        play.answer(play.ask(as: stock), 503, retryAfter: .seconds(60))
        #expect(play.restUntil(echo) == nil)
        play.answer(play.ask(as: ads), 503, retryAfter: .seconds(20))

        #expect(play.snapshot.restUntil == play.now + .seconds(20))
        #expect(play.refusal(of: echo)?.description == "asked to wait 20s")
        play.pass(.seconds(20))
        let all = (0..<3).map { _ in play.ask(as: echo) }
        #expect(play.snapshot.underWay == 1)
        play.answer(all[0])
        #expect(play.snapshot.underWay == 2)
    }

    @Test
    func `two tokens of one source, and two sources after a 429, rest no origin`() {
        var play = MachinePlay()
        for token in 1...5 {
            play.answer(play.ask(as: RequestAsker(source: "stock", credentials: UInt64(token))), 503, retryAfter: .seconds(60))
        }
        play.answer(play.ask(as: ads), 429, retryAfter: .seconds(60))

        #expect(play.restUntil(echo) == nil)
    }

    @Test(arguments: [(RequestOutcome.failed, 11, true), (.unprocessed, 11, true), (.failed, 9, false), (.answered, 11, false)])
    func `a host that sent one away and answers nothing else for 10 s rests`(outcome: RequestOutcome, seconds: Int64, rests: Bool) {
        var play = MachinePlay()
        play.answer(play.ask(as: stock), 503, retryAfter: .seconds(60))
        play.pass(.seconds(1))
        let other = play.ask(as: ads)
        if outcome == .answered { play.answer(other, 404) } else { play.end(other, outcome) }
        play.pass(.seconds(seconds - 1))

        #expect((play.refusal(of: echo) != nil) == rests)
    }

    @Test
    func `a host that nobody else asks does not rest`() {
        var play = MachinePlay()
        play.answer(play.ask(as: stock), 503, retryAfter: .seconds(3_600))
        play.pass(.seconds(60))

        play.answer(play.ask(as: echo))
        #expect(play.refused.isEmpty)
    }

    @Test
    func `what optional requests are refused holds no other back, and the other way round it does`() {
        var play = MachinePlay()
        play.answer(play.ask(as: optional("stock")), 503, retryAfter: .seconds(60))
        play.answer(play.ask(as: optional("ads")), 503, retryAfter: .seconds(60))

        #expect([stock, ads, echo].allSatisfy { play.restUntil($0) == nil })
        #expect(["stock", "ads", "echo"].allSatisfy { play.restUntil(optional($0)) != nil })

        play.answer(play.ask(as: echo), 429, retryAfter: .seconds(90))
        #expect(play.restUntil(optional("echo")) == play.restUntil(echo))
    }

    @Test
    func `who waited for one that is pushed out of the queue goes on`() {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(1), queue: 2))
        play.answer(play.ask(as: stock), 429, retryAfter: .seconds(20))
        play.pass(.seconds(20))
        let other = play.ask(as: echo)
        let urgent = play.ask(.high, as: ads)
        let first = play.ask(.low, as: stock)
        let second = play.ask(as: stock)

        let another = play.ask(.high, as: ads)

        #expect(play.refused[first] != nil && !play.begun.contains(second))
        for request in [other, urgent, another] { play.answer(request) }
        #expect(play.begun.contains(second))
    }

    @Test
    func `after its rest one is sent for a source, the others wait, and other sources do not`() {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(20)))
        play.answer(play.ask(as: stock), 429, retryAfter: .seconds(20))
        play.pass(.seconds(20))

        let all = (0..<5).map { _ in play.ask(as: stock) }
        let others = (0..<3).map { _ in play.ask(as: echo) }
        #expect(play.begun.suffix(4) == [all[0]] + others)
        #expect(play.snapshot.waiting == 4)

        play.end(all[0], .cancelled)
        #expect(play.begun.last == all[1])
        play.leave(all[2])
        play.answer(all[1])
        #expect(play.begun.suffix(2) == all[3...4])
        #expect(play.snapshot.waiting == 0)
    }

    @Test
    func `what waits for the first one after a rest is refused with it`() {
        var play = MachinePlay()
        play.answer(play.ask(as: stock), 429, retryAfter: .seconds(20))
        play.pass(.seconds(20))
        let all = (0..<3).map { _ in play.ask(as: stock) }

        play.answer(all[0], 429, retryAfter: .seconds(30))

        #expect(all[1...].allSatisfy { play.refused[$0]?.description == "asked to wait 30s" })
        #expect(play.snapshot.waiting == 0 && play.snapshot.underWay == 0)
    }

    @Test(arguments: [(OriginLimits.Rest.none, false, false), (.source, true, false), (.origin, true, true)])
    func `limits say who rests`(rest: OriginLimits.Rest, own: Bool, others: Bool) {
        var play = MachinePlay(OriginLimits(rest: rest))
        play.answer(play.ask(as: stock), 429, retryAfter: .seconds(20))

        #expect((play.restUntil(stock) != nil) == own)
        #expect((play.restUntil(echo) != nil) == others)
    }

    @Test(arguments: [
        (OriginLimits.Rest.none, OriginLimits.Rest.none, OriginLimits.Rest.none), (.none, .source, .source), (.origin, .none, .origin),
        (.source, .origin, .origin),
    ])
    func `of two limits the one that rests more holds`(one: OriginLimits.Rest, other: OriginLimits.Rest, both: OriginLimits.Rest) {
        #expect(OriginLimits(rest: one).strictest(OriginLimits(rest: other)).rest == both)
    }

    @Test
    func `rests can be ended, and nothing is careful after that`() {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(20)))
        play.answer(play.ask(as: stock), 503, retryAfter: .seconds(60))
        play.answer(play.ask(as: ads), 503, retryAfter: .seconds(60))

        #expect(play.endRests() == 3)
        let all = (0..<6).map { _ in play.ask(as: stock) }
        #expect(play.begun.suffix(6) == all[...])
    }

    @Test
    func `of very many that rest those are forgotten that would end first`() {
        var play = MachinePlay(OriginLimits(concurrency: .fixed(1)))
        let askers = (0..<3_000).map { RequestAsker(source: "quota", credentials: UInt64($0)) }
        for (index, asker) in askers.enumerated() { play.answer(play.ask(as: asker), 429, retryAfter: .seconds(100 + index)) }

        #expect(askers.count { play.restUntil($0) != nil } == 1_024)
        #expect(play.restUntil(askers[2_999]) != nil && play.restUntil(askers[0]) == nil)
    }

    @Test
    func `a rest for which no time was named says so`() {
        var play = MachinePlay()
        for _ in 0..<3 { play.answer(play.ask(as: stock), 503) }
        let words = play.refusal(of: stock)?.description

        #expect(words?.wholeMatch(of: /rests for [0-9]+m?s after a 503/) != nil, "\(words ?? "")")
        play.answer(play.ask(as: echo), 429, retryAfter: .seconds(19))
        #expect(play.refusal(of: echo)?.description == "asked to wait 19s")
    }
}
