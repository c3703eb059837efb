import Pipeline
import PipelineNetwork
import Testing

/// The limit on simulated links. What it is measured by is printed by `make bench ROWS=network`; here each rule has a link that needs it.
@Suite
struct LinkTests {
    private typealias Demand = LinkSimulation.Demand

    private func play(_ link: SimulatedLink, count: Int, until end: Double, bytes: Int = 1_000) -> LinkSimulation {
        var simulation = LinkSimulation(link, OriginLimits(queue: .max))
        simulation.run((0..<count).map { _ in Demand(bytes: bytes) }, until: end)
        return simulation
    }

    @Test
    func `NC-11 when every answer takes 100 ms the limit rises to 64 within 2 s`() {
        let simulation = play(SimulatedLink(roundTrip: 0, bandwidth: { _ in 1e9 }, service: { _ in 0.1 }), count: 2_000, until: 2)

        #expect(simulation.moments.contains { $0.limit >= 64 })
    }

    @Test
    func `NC-12 with 20 and 400 ms mixed at 64 workers the limit is at least 30 within 5 s`() {
        let service: @Sendable (inout RandomGenerator) -> Double = { Double.random(in: 0..<1, using: &$0) < 0.7 ? 0.02 : 0.4 }
        let simulation = play(
            SimulatedLink(roundTrip: 0.02, bandwidth: { _ in 50e6 }, workers: 64, service: service), count: 5_000, until: 5)

        #expect((simulation.moments.last?.limit ?? 0) >= 30)
    }

    @Test
    func `NC-13 while no more than two are asked for at once the limit stays`() {
        var simulation = LinkSimulation(SimulatedLink(roundTrip: 0.02, service: SimulatedLink.exponential(0.05)))
        simulation.run((0..<400).flatMap { index in [Demand(at: Double(index) * 0.8), Demand(at: Double(index) * 0.8)] })

        #expect(Set(simulation.moments.map(\.limit)) == [6])
    }

    @Test
    func `NC-14 when the line falls the limit follows within 2 s, and 80 % of the throughput is back within 8 s`() {
        let simulations = (1...5 as ClosedRange<UInt64>).map { NetworkScenario.fallingLine(seed: $0) }

        for simulation in simulations {
            #expect(simulation.moments.last { $0.time <= 7 }.map { $0.limit <= 3 } == true)
            #expect((65..<73).contains { simulation.goodput(from: Double($0), to: Double($0) + 1) >= 4e6 })
        }
        // Where many bodies were under way when the line fell, they have to end first.
        #expect(simulations.map { $0.highTimes(from: 8, to: 60).quantile(0.5) }.quantile(0.5) <= 0.5)
    }

    @Test
    func `NC-15 small bodies of a slow server make no ceiling`() {
        let simulation = play(
            SimulatedLink(roundTrip: 0.02, bandwidth: { _ in 50e6 }, workers: 32, service: { _ in 0.1 }), count: 3_000, until: 8)

        #expect((simulation.moments.last?.limit ?? 0) >= 24)
    }

    @Test(arguments: NetworkScenario.bursts.map(\.name))
    func `a backlog takes at most two and a half times as long as with the best fixed limit`(name: String) throws {
        let burst = try #require(NetworkScenario.bursts.first { $0.name == name })
        let seeds: [UInt64] = [1, 2, 3]
        let best =
            [2, 8, 32, 128, 256].map { limit in seeds.map { NetworkScenario.play(burst, .fixed(limit), seed: $0).time }.mean }.min() ?? 0

        let measured = seeds.map { NetworkScenario.play(burst, .auto(), seed: $0).time }.mean

        #expect(measured <= 2.5 * best)
    }

    @Test
    func `a second request takes the stalls away and costs little`() {
        let plain = NetworkScenario.stalls(nil, count: 5_000)
        let hedged = NetworkScenario.stalls(HedgePolicy(), count: 5_000)

        #expect(hedged.times.quantile(0.999) <= 0.1 * plain.times.quantile(0.999))
        #expect(hedged.extra <= 0.05)
    }

    @Test
    func `second requests of keys that are slow by nature stop`() {
        #expect(NetworkScenario.slowKeys(HedgePolicy(), count: 10_000).extra <= 0.01)
    }

    @Test
    func `at twice the capacity nine tenths of it is answered in time`() {
        #expect(NetworkScenario.overload(OriginLimits()) >= 0.9)
        #expect(NetworkScenario.overload(OriginLimits(concurrency: .fixed(1_000_000)), isPatient: true) < 0.3)
    }

    @Test
    func `an outage makes at most a fifth more requests`() {
        #expect((0.1...0.2).contains(NetworkScenario.outage()))
        #expect(NetworkScenario.outage(isBudgeted: false) > 1.9)
    }

    @Test
    func `pushback cuts the limit, and a storm of it ends`() {
        let simulation = play(SimulatedLink(roundTrip: 0.1, bandwidth: { _ in 50e6 }, mostAtOnce: 5), count: 300, until: 500)

        #expect(simulation.results.allSatisfy { $0.ended != nil })
        #expect(simulation.pushBacks <= 100)
    }
}
