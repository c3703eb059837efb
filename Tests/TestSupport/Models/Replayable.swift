/// A run that can be played again, also with fewer steps.
package protocol Replayable {
    associatedtype Step
    var steps: [Step] { get set }
    /// The same run, each time with one thing less beside its steps.
    var simpler: [Self] { get }
}

extension Replayable {
    /// A shorter run that still fails: steps and other things that do not matter are left out.
    ///
    /// - Parameter failure: plays a run. Returns after how many steps it failed; nil when it did not.
    package func shrunk(_ failure: (Self) -> Int?) -> Self {
        guard var best = failing(failure) else { return self }
        while let better = best.shorter(failure) ?? best.plainer(failure) { best = better }
        return best
    }

    /// The run up to its failure; nil when it does not fail.
    private func failing(_ failure: (Self) -> Int?) -> Self? {
        guard let count = failure(self) else { return nil }
        var run = self
        run.steps = Array(steps.prefix(count))
        return run
    }

    private func plainer(_ failure: (Self) -> Int?) -> Self? {
        for candidate in simpler {
            if let run = candidate.failing(failure) { return run }
        }
        return nil
    }

    /// The run without the steps that do not matter; nil when all of them do.
    private func shorter(_ failure: (Self) -> Int?) -> Self? {
        var best = self
        var size = max(1, steps.count / 2)
        while size >= 1 {
            var start = 0
            while start < best.steps.count {
                var candidate = best
                candidate.steps.removeSubrange(start..<min(start + size, best.steps.count))
                if let shorter = candidate.failing(failure) { best = shorter } else { start += size }
            }
            size /= 2
        }
        return best.steps.count < steps.count ? best : nil
    }
}
