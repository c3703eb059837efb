import PipelineScenarios
import PipelineTesting
import TestSupport
import Testing

/// Fetches of the same keys at once, with callers that leave and removals in the middle, in random order.
@Suite
struct CrowdTests {
    private static let stepsPerRun = 60

    @Test func `whatever callers do meanwhile, nothing that was removed comes back and nothing is left`() async {
        let runs = await JobLoop.run { loop in
            SeededRuns(of: 1_000 * Self.stepsPerRun) { seed in
                let reading: StubReading = seed.isMultiple(of: 2) ? .onThread : seed % 4 == 1 ? .inTurn : .inTask
                return (Self.stepsPerRun, Self.problem(with: seed, loop, reading))
            }
        }

        print("crowd: \(runs.count) runs of \(Self.stepsPerRun) steps")
        for failure in runs.failures { Issue.record("\(failure)") }
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

    private static func problem(with seed: UInt64, _ loop: JobLoop, _ reading: StubReading) -> String? {
        do {
            let crowd = try Crowd(seed: seed, loop: loop, reading: reading)
            crowd.play(stepsPerRun)
            return crowd.problems.isEmpty ? nil : (crowd.steps + crowd.problems).joined(separator: "\n")
        } catch {
            return "\(error)"
        }
    }
}
