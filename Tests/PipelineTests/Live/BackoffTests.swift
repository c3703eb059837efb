import PipelineLive
import PipelineTesting
import Testing

@testable import Pipeline

/// How long to wait before the next attempt to connect.
@Suite struct BackoffTests {
    private static let highest = RandomGenerator { .max }

    private func pauses(_ policy: ReconnectPolicy, count: Int, random: RandomGenerator) -> [Duration] {
        var (backoff, random) = (Backoff(policy), random)
        return (0..<count).map { _ in backoff.pause(random: &random) }
    }

    @Test func `the longest pause doubles with each failure, up to the limit`() {
        let policy = ReconnectPolicy(base: .seconds(1), max: .seconds(30))

        #expect(pauses(policy, count: 8, random: Self.highest) == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    }

    @Test func `a pause is anywhere between the floor and the longest, never beyond`() {
        let policy = ReconnectPolicy(base: .seconds(1), max: .seconds(30))

        for seed in 0..<500 as Range<UInt64> {
            let drawn = pauses(policy, count: 10, random: .seeded(seed))
            for (number, pause) in drawn.enumerated() {
                #expect(pause >= Backoff.floor)
                #expect(pause <= min(.seconds(30), .seconds(1 << number)), "seed \(seed), pause \(number)")
            }
        }
    }

    @Test func `no pause is shorter than 100 ms, whatever is drawn and asked for`() {
        // The least that gives 0 and is not drawn again.
        let lowest = RandomGenerator { 1 << 20 }

        #expect(pauses(ReconnectPolicy(), count: 3, random: lowest) == [.milliseconds(100), .milliseconds(100), .milliseconds(100)])
        let none = ReconnectPolicy(base: .zero, max: .zero)
        #expect(pauses(none, count: 3, random: Self.highest) == [.milliseconds(100), .milliseconds(100), .milliseconds(100)])
    }

    @Test(arguments: [
        ReconnectPolicy(base: .seconds(1), max: .seconds(Int64.max)), ReconnectPolicy(base: .seconds(Int64.max), max: .seconds(Int64.max)),
    ])
    func `any number of failures and any length is taken`(policy: ReconnectPolicy) {
        let drawn = pauses(policy, count: 200, random: Self.highest)

        #expect(drawn.last == .nanoseconds(Int64.max))
        #expect(zip(drawn, drawn.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func `only being well for 30 s makes the pauses short again`() {
        var (backoff, random) = (Backoff(ReconnectPolicy(base: .seconds(1), max: .seconds(30))), Self.highest)
        let wells: [Duration?] = [nil, .zero, .milliseconds(29_999), .seconds(30), nil, .seconds(3_600), .seconds(1)]

        let drawn = wells.map { backoff.pause(afterBeingWellFor: $0, random: &random) }

        #expect(drawn == [1, 2, 4, 1, 2, 1, 2].map { .seconds($0) })
    }

    @Test func `a base that the server asks for counts from the next pause on`() {
        var (backoff, random) = (Backoff(ReconnectPolicy(base: .seconds(1), max: .seconds(30))), Self.highest)
        _ = backoff.pause(random: &random)

        backoff.rebase(.seconds(5))

        #expect(backoff.pause(random: &random) == .seconds(10))
        #expect(backoff.pause(random: &random) == .seconds(20))
        #expect(backoff.pause(random: &random) == .seconds(30))
    }

    @Test func `LV-30 a thousand clients that are dropped at once come back spread over the base`() {
        let base = Duration.seconds(1)
        let drawn = (0..<1_000 as Range<UInt64>).map { client in
            pauses(ReconnectPolicy(base: base), count: 1, random: .seeded(client))[0]
        }

        let tenths = Dictionary(grouping: drawn) { Int($0 / .milliseconds(100)) }
        // The floor takes the first tenth to its end. Of each other a hundred is the mean, and 9.5 the standard deviation.
        for tenth in 2..<10 {
            #expect((50...150).contains(tenths[tenth]?.count ?? 0), "\(tenth): \(tenths[tenth]?.count ?? 0)")
        }
        #expect(drawn.allSatisfy { $0 <= base })
        // No more than those that the floor holds come at one moment.
        #expect((Dictionary(grouping: drawn, by: \.self).map(\.value.count).max() ?? 0) < 150)
    }
}
