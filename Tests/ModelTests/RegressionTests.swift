import Pipeline
import PipelineScenarios
import Testing

/// Runs, made short, in which the engine once did something else than the rules say.
@Suite
struct RegressionTests {
    private static let hour: Int64 = 3_600_000_000_000

    @Test func `an open circuit does not make a fetch fail that does not ask its tier`() async {
        let disk = TierSpec(kind: .disk, breaker: TierSpec.Breaker(failures: 1, openFor: 35))
        await expectAgreement(
            PipelineSpec(tiers: [disk, TierSpec(kind: .disk)]),
            [.fail(tier: 0, .reads, true), .fetch(key: 1, .default), .fetch(key: 0, .noStore)])
    }

    @Test func `a tier that is not to be asked has no time limit`() async {
        await expectAgreement(
            PipelineSpec(tiers: [TierSpec(kind: .origin), TierSpec(kind: .disk)], deadline: 45),
            [.answer(tier: 0, .error, delay: Self.hour), .fetch(key: 0, .refresh)])
    }

    @Test func `a copy that is no JSON is invalid when it expired, too, and never served stale`() async {
        await expectAgreement(
            PipelineSpec(tiers: [TierSpec(kind: .disk), TierSpec(kind: .origin)], staleWhileRevalidate: 2_000),
            [.plant(tier: 0, key: 0, nil, freshFor: 500), .advance(1_000), .fetch(key: 0, .default)])
    }

    @Test func `what memory answers is written to the cache above it`() async {
        await expectAgreement(
            PipelineSpec(tiers: [TierSpec(kind: .disk), TierSpec(kind: .memory), TierSpec(kind: .origin)]),
            [.fail(tier: 0, .writes, true), .fetch(key: 0, .default), .fail(tier: 0, .writes, false), .fetch(key: 0, .default)])
    }

    @Test(arguments: [Step.remove(key: 0), .clear])
    func `a copy that could not be removed is no reason to leave out a write`(removal: Step) async {
        await expectAgreement(
            PipelineSpec(tiers: [TierSpec(kind: .origin), TierSpec(kind: .disk)]),
            [.fetch(key: 0, .default), .fail(tier: 1, .removes, true), removal, .fetch(key: 0, .default)])
    }

    @Test func `a soft timeout yields only to a copy that can be served then`() async {
        let origin = TierSpec(kind: .origin, softTimeout: 17)
        await expectAgreement(
            PipelineSpec(tiers: [TierSpec(kind: .disk), origin], staleIfError: 30),
            [
                .answer(tier: 1, .value(3, freshFor: nil), delay: 33_708_584), .plant(tier: 0, key: 0, 4, freshFor: 10_000_000),
                .advance(25_000_000), .fetch(key: 0, .default),
            ])
    }

    @Test(arguments: [Step.Answer.value(3, freshFor: 50_000_000), .error])
    func `after a soft timeout a load that fails rests from its end on, and one that ends well does not`(answer: Step.Answer) async {
        let origin = TierSpec(kind: .origin, softTimeout: 17)
        await expectAgreement(
            PipelineSpec(tiers: [TierSpec(kind: .disk), origin], staleIfError: 5_000),
            [
                .plant(tier: 0, key: 0, 4, freshFor: 10_000_000), .advance(25_000_000), .answer(tier: 1, answer, delay: 33_708_584),
                .fetch(key: 0, .default), .advance(990_000_000), .fetch(key: 0, .default), .advance(20_000_000), .fetch(key: 0, .default),
            ])
    }

    @Test func `a soft timeout does not yield to a remembered not_found`() async {
        let origin = TierSpec(kind: .origin, softTimeout: 17)
        await expectAgreement(
            PipelineSpec(tiers: [TierSpec(kind: .memory, keepsNotFound: true), origin], staleIfError: 5_000, notFoundTTL: 40),
            [
                .answer(tier: 1, .notFound, delay: 0), .fetch(key: 0, .default), .advance(50_000_000),
                .answer(tier: 1, .value(3, freshFor: nil), delay: 33_708_584), .fetch(key: 0, .default),
            ])
    }

    @Test
    func `a value that waits and was replaced is not seen, also where its replacement was skipped`() async {
        let disk = TierSpec(kind: .disk, debounce: 45, breaker: TierSpec.Breaker(failures: 2, openFor: 300))
        await expectAgreement(
            PipelineSpec(tiers: [TierSpec(kind: .origin), disk]),
            [
                .fetch(key: 0, .default), .fail(tier: 1, .writes, true), .flush, .flush, .put(key: 0, 4), .fetch(key: 0, .default),
            ])
    }

    @Test func `a write that is due when a deadline ends a fetch is made when that moment is over`() async {
        await expectAgreement(
            PipelineSpec(tiers: [TierSpec(kind: .disk, debounce: 45), TierSpec(kind: .origin)], deadline: 45),
            [
                .answer(tier: 1, .error, delay: Self.hour), .put(key: 0, 1), .advance(1_000_000), .put(key: 0, 2),
                .fetch(key: 1, .default),
            ])
    }

    @Test(arguments: [Step.put(key: 0, 4), .remove(key: 0), .clear])
    func `a debounced write that failed stays failed when something else takes its place`(replacement: Step) async {
        await expectAgreement(
            PipelineSpec(tiers: [TierSpec(kind: .origin), TierSpec(kind: .disk, debounce: 45)]),
            [.fetch(key: 0, .default), .fail(tier: 1, .writes, true), .advance(45_000_000), replacement])
    }

    @Test func `a debounced write that fails while a refresh brings a newer value is failed, whichever comes first`() async {
        let routes = PipelineSpec.WriteBack.routes([0: [1], 2: [0, 1]])
        let tiers = [TierSpec(kind: .disk), TierSpec(kind: .disk, debounce: 45), TierSpec(kind: .origin)]
        await expectAgreement(
            PipelineSpec(tiers: tiers, writeBack: routes, refreshAhead: 25),
            [
                .put(key: 0, 1), .fail(tier: 1, .writes, true), .advance(465_000_000),
                .plant(tier: 0, key: 0, 3, freshFor: 500_000_000), .advance(125_000_000), .fetch(key: 0, .default),
            ])
    }

    @Test func `a value that comes after a write failed waits its own quiet time`() async {
        await expectAgreement(
            PipelineSpec(tiers: [TierSpec(kind: .origin), TierSpec(kind: .disk, debounce: 45, maxDelay: 50)]),
            [
                .fail(tier: 1, .writes, true), .put(key: 0, 1), .advance(60_000_000), .put(key: 0, 2), .fail(tier: 1, .writes, false),
                .fetch(key: 1, .cacheOnly), .advance(34_999_999), .advance(1),
            ])
    }

    private func expectAgreement(_ spec: PipelineSpec, _ steps: [Step]) async {
        for isFromFile in [true, false] {
            var play = Play(spec: spec, steps: steps)
            play.spec.isFromFile = isFromFile
            let differences = await JobLoop.run { [play] loop in play.replay(loop)?.differences ?? [] }

            #expect(differences == [], "\(play.description)")
        }
    }
}
