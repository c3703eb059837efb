import Testing

/// Fetches of the same keys at once, with callers that leave and removals in the middle, in random order.
@Suite(.enabled(if: JobLoop.isAvailable, "needs the hook of the concurrency runtime"))
struct CrowdTests {
    @Test func `whoever comes, leaves, puts or removes meanwhile, nothing that was removed comes back and nothing is left`() async {
        let problems = await JobLoop.run { loop in Self.play(loop) }

        for problem in problems { Issue.record("\(problem)") }
    }

    private static func play(_ loop: JobLoop) -> [String] {
        var problems: [String] = []
        let clock = ContinuousClock()
        let end = Setting.minutes.map { clock.now + .seconds(60 * $0) }
        var seed = Setting.seed ?? (end == nil ? 1 : UInt64.random(in: 1 ... .max / 2))
        var runs = 0
        while problems.count < 3 {
            do {
                let crowd = try Crowd(seed: seed, loop: loop)
                crowd.play(60)
                if !crowd.problems.isEmpty {
                    problems.append((["MODEL_SEED=\(seed)"] + crowd.steps + crowd.problems).joined(separator: "\n"))
                }
            } catch {
                problems.append("MODEL_SEED=\(seed): \(error)")
            }
            seed += 1
            runs += 1
            if Setting.seed != nil || end.map({ clock.now >= $0 }) ?? (runs >= 1_000) { break }
        }
        print("crowd: \(runs) runs of 60 steps")
        return problems
    }
}
