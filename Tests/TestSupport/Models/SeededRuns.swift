/// Runs of a model, seed after seed.
package struct SeededRuns: Sendable {
    private static let mostFailures = 3

    package private(set) var count = 0
    package private(set) var steps = 0
    /// For each run that failed, its seed and what it was.
    package private(set) var failures: [String] = []

    /// Plays until so many steps are played or the time is over that ``Setting`` gives, or until three runs failed. One run where it gives a seed.
    ///
    /// - Parameters:
    ///   - usual: how many steps, where nothing is set.
    ///   - play: plays one run. Returns its steps, and an account of its failure.
    package init(of usual: Int, _ play: (UInt64) -> (steps: Int, failure: String?)) {
        let clock = ContinuousClock()
        let end = Setting.minutes.map { clock.now + .seconds(60 * $0) }
        let wanted = Setting.steps ?? usual
        var seed = Setting.seed ?? (end == nil ? 1 : UInt64.random(in: 1 ... .max / 2))
        repeat {
            let (steps, failure) = play(seed)
            count += 1
            self.steps += steps
            if let failure { failures.append("MODEL_SEED=\(seed)\n\(failure)") }
            seed += 1
        } while Setting.seed == nil && failures.count < Self.mostFailures && (end.map { clock.now < $0 } ?? (self.steps < wanted))
    }
}
