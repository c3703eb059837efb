internal import PipelineSimulation
private import Synchronization

/// The variants that have been played, and what a terminal shows meanwhile.
final class SimulateProgress: Sendable {
    private struct State {
        var results: [Simulation.Result] = []
        var seeds: [[VariantCounts]] = []
    }

    let line = StatusLine()
    private let state = Mutex(State())

    /// The results of the first seed.
    var results: [Simulation.Result] { state.withLock(\.results) }
    /// The counts of all seeds of each variant.
    var seeds: [[VariantCounts]] { state.withLock(\.seeds) }

    func add(_ results: [Simulation.Result]) {
        guard let first = results.first else { return }
        state.withLock { state in
            state.results.append(first)
            state.seeds.append(results.map(\.counts))
        }
    }
}

/// A line at the end of a terminal that is written over; nothing where standard error is none.
final class StatusLine: Sendable {
    private let shown = Mutex(0)

    func show(_ text: String) {
        guard Console.error.isTerminal else { return }
        shown.withLock { shown in
            let text = String(text.prefix(79))
            Console.error.write("\r" + text + String(repeating: " ", count: max(0, shown - text.count)))
            shown = max(shown, text.count)
        }
    }

    func erase() {
        shown.withLock { shown in
            if shown > 0 { Console.error.write("\r" + String(repeating: " ", count: shown) + "\r") }
            shown = 0
        }
    }
}
