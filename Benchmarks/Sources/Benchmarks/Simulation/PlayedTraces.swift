/// How many requests of a trace `pipe-run simulate` plays in a second.
///
/// Both gears are measured as whole processes. What a process with several variants takes more than one with a single variant is playing alone: the
/// trace is read once, and the first requests that both gears play for their comparison belong to what is measured.
enum PlayedTraces {
    private static let requests = 2_000_000
    private static let rounds = 5

    @concurrent
    static func rows() async throws -> [Row] {
        let program = try Environment.required("PIPE_RUN")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let config = try folder.write(
            """
            sources:
              memory: { type: memory, max_entries: 10000 }
              api: { type: http, url: "http://127.0.0.1:9/{user}" }
            pipelines:
              machine:
                parameters: [user]
                tiers: [{ source: memory, ttl: 10h }, api]
              # The machine does not play `deadline`, so that the engine plays the whole trace.
              engine:
                parameters: [user]
                tiers: [{ source: memory, ttl: 10h }, api]
                deadline: 10s

            """, to: "pipeline.yaml")
        _ = try folder.write("sources:\n  api: { takes: 20ms }\n", to: "pipeline.sim.yaml")

        var random = SeededGenerator(seed: 1)
        let (few, many) = (ZipfSampler(count: 12_000, exponent: 0.9), ZipfSampler(count: 100_000, exponent: 0.9))
        let kept = try folder.write(lines { _ in few.next(using: &random) }, to: "kept.txt")
        let mixed = try folder.write(lines { _ in many.next(using: &random) }, to: "mixed.txt")
        let hits = try folder.write(lines { $0 % 1_000 }, to: "hits.txt")

        func play(_ pipeline: String, _ trace: String, variants: Int) -> ChildProcess {
            let values = (1...variants).map { "\($0)h" }.joined(separator: ",")
            return ChildProcess(
                program, "simulate", pipeline, "-c", config, "--trace", trace, "--trace-format", "text", "--vary", "memory.ttl=" + values)
        }
        func row(_ name: String, _ pipeline: String, _ trace: String, atLeast floor: Double?) async throws -> Row {
            let (one, several) = (play(pipeline, trace, variants: 1), play(pipeline, trace, variants: 4))
            try one.run()
            var speeds: [Double] = []
            for _ in 0..<rounds {
                let base = try await Stopwatch.time { try one.run() }
                let whole = try await Stopwatch.time { try several.run() }
                speeds.append(3 * Double(requests) / ((whole - base) / 1e9))
            }
            let speed = Distribution(speeds)
            return Row(
                name, figure: speed.median.text(0), ratio: "(\(speed.low.text(0))–\(speed.high.text(0)))",
                budget: floor.map { "≥ \($0.text(0))" } ?? "", isMet: floor.map { speed.median >= $0 })
        }
        return [
            try await row(
                "requests a second, simulated by the flat machine, `[memory, api]`, 4 % misses", "machine", kept, atLeast: 2_000_000),
            try await row("… a third of them misses", "machine", mixed, atLeast: nil),
            try await row("requests a second, simulated by the engine, answered by memory", "engine", hits, atLeast: 500_000),
        ]
    }

    /// A key on each line.
    private static func lines(_ key: (Int) -> Int) -> String {
        var text = ""
        for number in 0..<requests { text += "\(key(number))\n" }
        return text
    }
}
