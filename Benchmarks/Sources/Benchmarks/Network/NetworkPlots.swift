import Foundation
import Pipeline
import PipelineNetwork

/// Pictures of two simulated links for docs/network.md.
enum NetworkPlots {
    static func write(to folder: String) throws {
        for (name, text) in [("network-line.svg", fallingLine), ("network-server.svg", server)] {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
    }

    /// 5 MB/s, then 50 kB/s, then 5 MB/s.
    static var fallingLine: String {
        let automatic = NetworkScenario.fallingLine(seed: 2)
        let fixed = NetworkScenario.fallingLine(.fixed(64), seed: 2)
        return Plot(
            title: "A line of 5 MB/s that becomes 50 kB/s for a minute", seconds: 85, marked: (5, 65, "50 kB/s"),
            panels: [
                Plot.Panel(
                    label: "limit of requests under way", most: 80,
                    curves: [
                        Plot.Curve(name: "concurrency: 64", isStrong: false, points: [(0, 64), (85, 64)]),
                        Plot.Curve(name: "concurrency: auto", isStrong: true, points: limits(of: automatic)),
                    ]),
                Plot.Panel(
                    label: "seconds until a small request of high priority is answered", most: 60,
                    curves: [
                        Plot.Curve(name: "concurrency: 64", isStrong: false, points: high(of: fixed)),
                        Plot.Curve(name: "concurrency: auto", isStrong: true, points: high(of: automatic)),
                    ]),
            ]
        ).text
    }

    /// A server that answers without bound, and one of 8 workers.
    static var server: String {
        let names = ["64 workers, 20 or 400 ms", "8 workers, noisy 50 ms"]
        let runs = names.map { name in
            var simulation = LinkSimulation(
                NetworkScenario.bursts.first { $0.name == name }?.link ?? SimulatedLink(), OriginLimits(queue: .max), seed: 3)
            simulation.run((0..<6_000).map { _ in NetworkScenario.Demand() }, until: 12)
            return limits(of: simulation)
        }
        return Plot(
            title: "A backlog, begun with 6 requests at once", seconds: 12, marked: nil,
            panels: [
                Plot.Panel(
                    label: "limit of requests under way", most: 200,
                    curves: [
                        Plot.Curve(name: "8 workers, 50 ms on average", isStrong: false, points: runs[1]),
                        Plot.Curve(name: "64 workers, 20 or 400 ms", isStrong: true, points: runs[0]),
                    ])
            ]
        ).text
    }

    private static func limits(of simulation: LinkSimulation) -> [(Double, Double)] {
        var points: [(Double, Double)] = []
        for moment in simulation.moments {
            if let last = points.last { points.append((moment.time, last.1)) }
            points.append((moment.time, Double(moment.limit)))
        }
        return points
    }

    private static func high(of simulation: LinkSimulation) -> [(Double, Double)] {
        simulation.results.filter { $0.demand.priority == .high }.compactMap { result in result.time.map { (result.demand.at, $0) } }
    }
}
