import Pipeline
import PipelineNetwork

/// The controller on simulated links, and what it costs a request.
enum NetworkRows {
    private static let seeds: [UInt64] = Array(1...5)
    private static let fixedLimits = [1, 2, 4, 8, 16, 32, 64, 128, 256]

    @concurrent
    static func rows() async throws -> [Row] {
        if let folder = Environment["PLOTS"] { try NetworkPlots.write(to: folder) }
        return bursts() + fallingLine() + hedging() + [overload(), outage(), try await cost()]
    }

    /// How long a backlog takes, beside the best fixed limit; which one that is differs from link to link.
    private static func bursts() -> [Row] {
        var ratios: [Double] = []
        var rows: [Row] = []
        for burst in NetworkScenario.bursts {
            let best = fixedLimits.map { limit in (limit, time(burst, .fixed(limit))) }.min { $0.1 < $1.1 } ?? (0, 0)
            let measured = time(burst, .auto())
            let ratio = measured / best.1
            ratios.append(ratio)
            rows.append(
                Row(
                    "a backlog, \(burst.name), `auto`; floor: the best fixed limit, \(best.0)", figure: "\(measured.text(2)) s",
                    floor: "\(best.1.text(2)) s", ratio: ratio.text(2), budget: "≤ 2.5", isMet: ratio <= 2.5))
        }
        let mean = ratios.mean
        rows.append(Row("… mean of the ratios", figure: "", ratio: mean.text(2), budget: "≤ 1.25", isMet: mean <= 1.25))
        return rows
    }

    private static func time(_ burst: NetworkScenario.Burst, _ concurrency: OriginLimits.Concurrency) -> Double {
        seeds.map { NetworkScenario.play(burst, concurrency, seed: $0).time }.mean
    }

    private static func fallingLine() -> [Row] {
        let measured = seeds.map { NetworkScenario.fallingLine(seed: $0) }
        let fixed = seeds.map { NetworkScenario.fallingLine(.fixed(64), seed: $0) }
        let high = measured.map { $0.highTimes(from: 8, to: 60).quantile(0.5) }.quantile(0.5)
        let again = measured.map { run in (65..<84).first { run.goodput(from: Double($0), to: Double($0) + 1) >= 4e6 }.map { $0 - 65 } ?? 99
        }.max()
        return [
            Row(
                "a small `high` request while 5 MB/s are 50 kB/s, p50; floor: 64 at once", figure: "\(high.text(2)) s",
                floor: "\(fixed.map { $0.highTimes(from: 8, to: 60).quantile(0.5) }.quantile(0.5).text(2)) s", budget: "≤ 0.5 s",
                isMet: high <= 0.5),
            Row("… 80 % of the throughput again", figure: "\(again ?? 99) s", budget: "≤ 8 s", isMet: (again ?? 99) <= 8),
        ]
    }

    private static func hedging() -> [Row] {
        let plain = NetworkScenario.stalls(nil)
        let hedged = NetworkScenario.stalls(HedgePolicy())
        let slow = NetworkScenario.slowKeys(HedgePolicy())
        let (figure, floor) = (hedged.times.quantile(0.999), plain.times.quantile(0.999))
        return [
            Row(
                "2 % of answers stall, p99.9 with a second request; floor: without", figure: "\((figure * 1_000).text(1)) ms",
                floor: "\((floor * 1_000).text(0)) ms", ratio: (figure / floor).text(3), budget: "≤ 0.1", isMet: figure <= 0.1 * floor),
            Row("… more requests", figure: hedged.extra.percent, budget: "≤ 5 %", isMet: hedged.extra <= 0.05),
            Row("… more requests for keys that are slow by nature", figure: slow.extra.percent, budget: "≤ 1 %", isMet: slow.extra <= 0.01),
        ]
    }

    private static func overload() -> Row {
        let share = seeds.map { NetworkScenario.overload(OriginLimits(), seed: $0) }.mean
        let none = NetworkScenario.overload(OriginLimits(concurrency: .fixed(1_000_000)), isPatient: true)
        return Row(
            "twice what the origin bears, deadlines of 1 s: answered in time; floor: all at once", figure: share.percent,
            floor: none.percent,
            budget: "≥ 90 %", isMet: share >= 0.9)
    }

    private static func outage() -> Row {
        let more = NetworkScenario.outage()
        return Row(
            "an outage of 30 s, 3 attempts: more requests; floor: no budget", figure: more.percent,
            floor: NetworkScenario.outage(isBudgeted: false).percent, budget: "≤ 20 %", isMet: more <= 0.2)
    }

    /// Permit, head, body and end of one request, one after the other.
    private static func cost() async throws -> Row {
        let controller = OriginControllers().controller(for: OriginID(scheme: "http", host: "localhost", port: 80), clock: .system)
        let count = 100_000
        func round() async throws {
            for _ in 0..<count {
                let permit = try await controller.begin()
                permit.head(status: 200)
                permit.received(1_000)
                permit.end(.answered)
            }
        }
        try await round()
        let nanoseconds = try await Stopwatch.time(round) / Double(count)
        return Row("the controller, for one request", figure: nanoseconds.time(), budget: "≤ 5 µs", isMet: nanoseconds <= 5_000)
    }
}
