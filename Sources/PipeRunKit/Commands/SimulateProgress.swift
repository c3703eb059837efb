internal import PipelineSimulation
private import Synchronization

/// The variants that have been played, and what a terminal shows meanwhile.
final class SimulateProgress: Sendable {
    private struct State {
        var results: [Simulation.Played] = []
        var seeds: [[VariantCounts]] = []
    }

    let line = StatusLine()
    private let state = Mutex(State())

    /// The results of the first seed.
    var results: [Simulation.Played] { state.withLock(\.results) }
    /// The counts of all seeds of each variant.
    var seeds: [[VariantCounts]] { state.withLock(\.seeds) }

    func add(_ results: [Simulation.Played]) {
        guard let first = results.first else { return }
        state.withLock { state in
            state.results.append(first)
            state.seeds.append(results.map(\.counts))
        }
    }
}
