import Pipeline
import PipelineNetwork

/// What the controller is measured by: bursts over links, a line that falls, answers that stall, overload, and an outage.
enum NetworkScenario {
    typealias Demand = LinkSimulation.Demand

    /// A backlog over one link.
    struct Burst {
        let name: String
        let link: SimulatedLink
        let count: Int
        var isMixed = false
        /// About how long it takes, in seconds: the requests of high priority spread over it.
        let length: Double
    }

    static let bursts: [Burst] = [
        Burst(
            name: "20 kB/s, 300 ms", link: SimulatedLink(roundTrip: 0.3, bandwidth: { _ in 20e3 }), count: 60, isMixed: true, length: 180),
        Burst(
            name: "100 kB/s, 200 ms", link: SimulatedLink(roundTrip: 0.2, bandwidth: { _ in 100e3 }), count: 150, isMixed: true, length: 90),
        Burst(
            name: "1.5 MB/s, 60 ms", link: SimulatedLink(roundTrip: 0.06, bandwidth: { _ in 1.5e6 }), count: 400, isMixed: true, length: 16),
        Burst(
            name: "50 MB/s, 50 ms", link: SimulatedLink(roundTrip: 0.05, bandwidth: { _ in 50e6 }), count: 1_500, isMixed: true, length: 2),
        Burst(name: "8 workers of 50 ms", link: server(8, { _ in 0.05 }), count: 800, length: 5),
        Burst(name: "8 workers, noisy 50 ms", link: server(8, SimulatedLink.exponential(0.05)), count: 800, length: 5),
        Burst(name: "no bound, noisy 100 ms", link: server(.max, SimulatedLink.exponential(0.1)), count: 1_200, length: 4),
        Burst(name: "64 workers, 20 or 400 ms", link: server(64, twoKinds), count: 1_200, length: 4),
    ]

    /// When the last of a backlog is there, and the median of small requests of high priority among it, in seconds.
    static func play(_ burst: Burst, _ concurrency: OriginLimits.Concurrency, seed: UInt64) -> (time: Double, high: Double) {
        let sizes = burst.isMixed ? mixed(burst.count, seed) : Array(repeating: 1_000, count: burst.count)
        let high = (0..<40).map { Demand(at: burst.length * (0.1 + 0.02 * Double($0)), bytes: 5_000, priority: .high) }
        var simulation = LinkSimulation(burst.link, OriginLimits(concurrency: concurrency, queue: .max), seed: seed)
        simulation.run(sizes.map { Demand(bytes: $0) } + high, until: 5_000)
        return (
            simulation.results.prefix(burst.count).map { $0.ended ?? .infinity }.max() ?? 0,
            simulation.results.dropFirst(burst.count).map { $0.time ?? .infinity }.quantile(0.5)
        )
    }

    /// 5 MB/s for 5 s, 50 kB/s for 60 s, 5 MB/s again, under a backlog; a small request of high priority each second.
    static func fallingLine(_ concurrency: OriginLimits.Concurrency = .auto(), seed: UInt64 = 1) -> LinkSimulation {
        let line = SimulatedLink(roundTrip: 0.06, bandwidth: { $0 < 5 || $0 >= 65 ? 5e6 : 50e3 })
        var simulation = LinkSimulation(line, OriginLimits(concurrency: concurrency, queue: .max), seed: seed)
        let high = (0..<80).map { Demand(at: 1 + Double($0), bytes: 5_000, priority: .high) }
        simulation.run(mixed(6_000, seed).map { Demand(bytes: $0) } + high, until: 85, lineChanges: [5, 65])
        return simulation
    }

    /// 8 workers of 50 ms, 320 requests a second for 30 s, each given up after 1 s. The share of the capacity that was answered in time.
    static func overload(_ limits: OriginLimits, isPatient: Bool = false, seed: UInt64 = 1) -> Double {
        var simulation = LinkSimulation(server(8, SimulatedLink.exponential(0.05), roundTrip: 0.002), limits, seed: seed)
        var random = RandomGenerator.seeded(seed)
        var demands: [Demand] = []
        var at = 0.0
        while at < 30 {
            at += SimulatedLink.exponential(1 / 320)(&random)
            demands.append(Demand(at: at, patience: isPatient ? nil : 1))
        }
        simulation.run(demands)
        return Double(simulation.results.count { $0.time ?? .infinity <= 1 }) / (160 * 30)
    }

    /// 100 clients of one request a second each; every request fails for 30 s. How many more requests three attempts make, as a share.
    static func outage(isBudgeted: Bool = true, seed: UInt64 = 1) -> Double {
        var (asked, sent) = (0, 0)
        for client in 0..<100 {
            var random = RandomGenerator.seeded(seed &* 1_000 &+ UInt64(client))
            var demands: [Demand] = []
            var at = 0.0
            while at < 90 {
                at += SimulatedLink.exponential(1)(&random)
                demands.append(Demand(at: at, attempts: 3, isBudgeted: isBudgeted))
            }
            let link = SimulatedLink(roundTrip: 0.05, isDown: { $0 >= 60 })
            var simulation = LinkSimulation(link, seed: seed)
            simulation.run(demands)
            let down = simulation.results.filter { $0.demand.at >= 60 }
            asked += down.count
            sent += down.reduce(0) { $0 + $1.tries }
        }
        return Double(sent) / Double(asked) - 1
    }

    /// Answers of 5–15 ms of which 2 % stall for 0.5–2 s, 20 a second.
    static func stalls(_ hedge: HedgePolicy?, count: Int = 20_000, seed: UInt64 = 1) -> (times: [Double], extra: Double) {
        play(hedge, count, seed) {
            Double.random(in: 0..<1, using: &$0) < 0.02 ? .random(in: 0.5...2, using: &$0) : .random(in: 0.005...0.015, using: &$0)
        }
    }

    /// An origin of which each fiftieth key is slow by nature: a second request is as slow as the first.
    static func slowKeys(_ hedge: HedgePolicy?, count: Int = 20_000, seed: UInt64 = 1) -> (times: [Double], extra: Double) {
        let link = SimulatedLink(roundTrip: 0.001, service: { _ in 0.01 }, serviceOfDemand: { $0.isMultiple(of: 50) ? 1 : 0 })
        return play(hedge, count, seed, link)
    }

    private static func play(
        _ hedge: HedgePolicy?, _ count: Int, _ seed: UInt64, _ service: @escaping @Sendable (inout RandomGenerator) -> Double
    ) -> (times: [Double], extra: Double) {
        play(hedge, count, seed, SimulatedLink(roundTrip: 0, service: service))
    }

    private static func play(_ hedge: HedgePolicy?, _ count: Int, _ seed: UInt64, _ link: SimulatedLink) -> (times: [Double], extra: Double)
    {
        var simulation = LinkSimulation(link, seed: seed)
        simulation.run((0..<count).map { Demand(at: Double($0) * 0.05, bytes: 1, hedge: hedge) })
        return (simulation.results.map { $0.time ?? .infinity }, Double(simulation.sentCount - count) / Double(count))
    }

    private static func server(
        _ workers: Int, _ service: @escaping @Sendable (inout RandomGenerator) -> Double, roundTrip: Double = 0.02
    ) -> SimulatedLink {
        SimulatedLink(roundTrip: roundTrip, bandwidth: { _ in 50e6 }, workers: workers, service: service)
    }

    @Sendable
    private static func twoKinds(_ random: inout RandomGenerator) -> Double { Double.random(in: 0..<1, using: &random) < 0.7 ? 0.02 : 0.4 }

    private static func mixed(_ count: Int, _ seed: UInt64) -> [Int] {
        var random = RandomGenerator.seeded(seed)
        return (0..<count).map { _ in [2, 2, 2, 20, 20, 100, 300][Int.random(in: 0..<7, using: &random)] * 1_000 }
    }
}

extension LinkSimulation {
    /// Bytes in a second of what ended in a span of time.
    func goodput(from begin: Double, to end: Double) -> Double {
        let bytes = results.filter { ($0.ended ?? -1) >= begin && ($0.ended ?? -1) < end }.reduce(0) { $0 + $1.demand.bytes }
        return Double(bytes) / (end - begin)
    }

    /// The times of the requests of high priority that were made in a span of time.
    func highTimes(from begin: Double, to end: Double) -> [Double] {
        results.filter { $0.demand.priority == .high && $0.demand.at >= begin && $0.demand.at < end }.map { $0.time ?? .infinity }
    }
}

extension [Double] {
    /// The number that the share `part` of all is below.
    func quantile(_ part: Double) -> Double {
        let sorted = sorted()
        return sorted.isEmpty ? .nan : sorted[Swift.min(count - 1, Int(part * Double(count)))]
    }

    var mean: Double { reduce(0, +) / Double(count) }
}
