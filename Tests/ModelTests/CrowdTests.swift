import PipelineScenarios
import PipelineTesting
import Testing

/// Fetches of the same keys at once, with callers that leave and removals in the middle, in random order.
@Suite
struct CrowdTests {
    @Test func `whatever callers do meanwhile, nothing that was removed comes back and nothing is left`() async {
        let problems = await JobLoop.run { loop in Self.play(loop) }

        for problem in problems { Issue.record("\(problem)") }
    }

    /// In the first three, the cancellation of a call took a job's turn; in the fourth, a call that had its answer had not returned yet; in
    /// the last, three removals of the key ended one right after the other.
    @Test(
        arguments: [
            1_247_305_619_533_681_746, 1_247_305_619_533_683_648, 1_247_305_619_533_686_750, 8_192_630_767_989_397_367,
            8_581_478_205_939_968_237,
        ] as [UInt64])
    func `a run that once found two calls of the origin at a time finds them no more`(seed: UInt64) async {
        let problem = await JobLoop.run { loop in Self.problem(with: seed, loop, .inTask) }

        #expect(problem == nil)
    }

    private static func play(_ loop: JobLoop) -> [String] {
        var problems: [String] = []
        let clock = ContinuousClock()
        let end = Setting.minutes.map { clock.now + .seconds(60 * $0) }
        var seed = Setting.seed ?? (end == nil ? 1 : UInt64.random(in: 1 ... .max / 2))
        var runs = 0
        while problems.count < 3 {
            let reading: StubReading = seed.isMultiple(of: 2) ? .onThread : seed % 4 == 1 ? .inTurn : .inTask
            if let problem = problem(with: seed, loop, reading) { problems.append(problem) }
            seed += 1
            runs += 1
            if Setting.seed != nil || end.map({ clock.now >= $0 }) ?? (runs >= 1_000) { break }
        }
        print("crowd: \(runs) runs of 60 steps")
        return problems
    }

    private static func problem(with seed: UInt64, _ loop: JobLoop, _ reading: StubReading) -> String? {
        do {
            let crowd = try Crowd(seed: seed, loop: loop, reading: reading)
            crowd.play(60)
            return crowd.problems.isEmpty ? nil : (["MODEL_SEED=\(seed)"] + crowd.steps + crowd.problems).joined(separator: "\n")
        } catch {
            return "MODEL_SEED=\(seed): \(error)"
        }
    }
}
