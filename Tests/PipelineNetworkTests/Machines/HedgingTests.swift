import Pipeline
import PipelineNetwork
import Testing

/// When a second request is sent.
@Suite
struct HedgingTests {
    private let policy = HedgePolicy(budget: 0.5)

    /// A machine that knows its times, with a request under way that takes long.
    private func play(samples: Int = 30, _ limits: OriginLimits = OriginLimits()) -> (play: MachinePlay, slow: RequestNumber) {
        var play = MachinePlay(limits)
        play.answers(samples, hedge: policy)
        let slow = play.ask(hedge: policy)
        return (play, slow)
    }

    @Test
    func `the first request has 1.2 times the quantile alone, at least 2 ms, at most what is written`() {
        var (play, _) = play()

        #expect(play.hedgeDelay(policy).map { ($0.milliseconds * 1_000).rounded() } == 12_000)
        #expect(play.hedgeDelay(HedgePolicy(atMost: .milliseconds(5))) == .milliseconds(5))
        #expect(play.hedgeDelay(HedgePolicy(atMost: .milliseconds(1))) == .milliseconds(2))
    }

    @Test
    func `a second request begins where all allow it, and only one`() {
        var (play, slow) = play()

        #expect(play.hedge(slow) != nil)
        #expect(play.hedge(slow) == nil)
        #expect(play.snapshot.hedges == 1)
        #expect(play.snapshot.budget == 4)
    }

    @Test
    func `NC-27 without 20 samples there is no delay to wait for, but with a written time`() {
        var (play, _) = play(samples: 19)

        #expect(play.hedgeDelay(policy) == nil)
        #expect(play.hedgeDelay(HedgePolicy(after: .fixed(.milliseconds(300)))) == .milliseconds(300))
    }

    @Test
    func `NC-27 no second request without a free permit`() {
        var (play, slow) = play(OriginLimits(concurrency: .fixed(1)))

        #expect(play.hedge(slow) == nil)
    }

    @Test
    func `NC-27 no second request while the origin rests`() {
        var (play, slow) = play()
        play.answer(play.ask(), 429, retryAfter: .seconds(5))

        #expect(play.hedge(slow) == nil)
    }

    @Test
    func `NC-27 no second request where 11 of 100 fail, but where 10 do`() {
        for (failed, isHedged) in [(10, true), (11, false)] {
            var play = MachinePlay()
            for _ in 0..<failed { play.answer(play.ask(), 500) }
            play.answers(100 - failed, hedge: policy)
            let slow = play.ask(hedge: policy)

            #expect((play.hedge(slow) != nil) == isHedged)
        }
    }

    @Test
    func `NC-27 no second request when a budget is spent`() {
        var play = MachinePlay()
        play.answers(30, hedge: HedgePolicy(budget: 0.02))
        #expect(play.hedge(play.ask(hedge: policy)) != nil)
        #expect(play.hedge(play.ask()) == nil)

        var (other, slow) = self.play()
        for _ in 0..<5 { _ = other.retryToken() }
        #expect(other.hedge(slow) == nil)
    }

    @Test
    func `no second request after the head`() {
        var (play, slow) = play()
        play.head(slow)

        #expect(play.hedge(slow) == nil)
    }

    @Test
    func `NC-28 after 50 second requests of which 3 were faster there are none for five minutes, and it is said once`() {
        var play = MachinePlay()
        play.answers(30, hedge: policy)

        for round in 0..<50 {
            let slow = play.ask(hedge: policy)
            play.pass(.milliseconds(12))
            guard let second = play.hedge(slow) else { return #expect(Bool(false), "no second request in round \(round)") }
            if round < 3 {
                play.end(slow, .overtaken)
                play.answer(second)
            } else {
                play.answer(slow)
                play.end(second, .cancelled)
            }
            play.answers(4, hedge: policy)
        }

        #expect(play.events.count { if case .hedgingPaused = $0 { true } else { false } } == 1)
        #expect(play.hedgeDelay(policy) == nil)
        play.pass(.seconds(300))
        #expect(play.hedgeDelay(policy) != nil)
    }

    @Test(arguments: [500, 503])
    func `a second request that fails has not won, whatever becomes of the first`(status: Int) {
        for firstStatus in [200, 500] {
            var (play, slow) = play()
            guard let second = play.hedge(slow) else { return #expect(Bool(false), "no second request") }
            play.answer(second, status)
            play.answer(slow, firstStatus)

            #expect(play.snapshot.hedgesWon == 0)
        }
    }

    @Test(arguments: [(200, 1), (500, 0)])
    func `a second request that answers after the first has failed has won`(status: Int, won: Int) {
        var (play, slow) = play()
        guard let second = play.hedge(slow) else { return #expect(Bool(false), "no second request") }
        play.answer(slow, 500)
        play.answer(second, status)

        #expect(play.snapshot.hedgesWon == won)
    }

    @Test
    func `50 second requests that failed pause hedging`() {
        var play = MachinePlay()
        play.answers(30, hedge: policy)

        for round in 0..<50 {
            let slow = play.ask(hedge: policy)
            guard let second = play.hedge(slow) else { return #expect(Bool(false), "no second request in round \(round)") }
            play.answer(second, 500)
            play.answer(slow)
            play.answers(20, hedge: policy)
        }

        #expect(play.hedgeDelay(policy) == nil)
    }

    @Test
    func `NC-25 a request that was overtaken counts with its elapsed time, once`() {
        var play = MachinePlay()
        play.answers(19, hedge: policy)
        let slow = play.ask(hedge: policy)
        let fast = HedgePolicy(after: .fixed(.milliseconds(20)))
        #expect(play.hedgeDelay(fast) == .milliseconds(20))
        play.pass(.milliseconds(20))
        let second = play.hedge(slow)
        play.pass(.milliseconds(10))
        play.end(slow, .overtaken)
        if let second { play.answer(second) }

        #expect(play.hedgeDelay(HedgePolicy(after: .quantile(0.99))).map { ($0.milliseconds * 1_000).rounded() } == 36_000)
        #expect(play.snapshot.underWay == 0)
    }
}
