import Synchronization

/// Hears what other processes announce through the sources that they share, and has the pipelines of this one forget it.
final class Listening: Sendable {
    private struct State {
        var hearers: [String: [Invalidation]] = [:]
        var tasks: [Task<Void, Never>] = []
        var isOver = false
    }

    private let sources: [String: any AnnouncingSource]
    private let state = Mutex(State())
    private let hasBegun = Atomic(false)

    /// Nil when none of `sources` announces anything.
    init?(_ sources: [String: any Source]) {
        let announcing = sources.compactMapValues { ($0 as? any AnnouncingSource).flatMap { $0.announces ? $0 : nil } }
        if announcing.isEmpty { return nil }
        self.sources = announcing
    }

    deinit {
        end()
    }

    /// Whether what is announced through one of these sources concerns who uses them.
    func concerns(_ names: some Sequence<String>) -> Bool {
        names.contains { sources[$0] != nil }
    }

    /// Has `invalidation` hear what is announced through the sources of its tiers. To be said before it begins.
    func add(_ invalidation: Invalidation) {
        state.withLock { state in
            for tier in invalidation.tiers where sources[tier.name] != nil { state.hearers[tier.name, default: []].append(invalidation) }
        }
    }

    /// Begins to listen, the first time that it is called. Waits for nothing.
    func begin() {
        guard !hasBegun.load(ordering: .relaxed), !hasBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
        state.withLock { state in
            guard !state.isOver else { return }
            for (name, source) in sources {
                let hearers = state.hearers[name] ?? []
                // Ends when it is cancelled in `end`, at the latest with the last pipeline.
                state.tasks.append(
                    Task {
                        await source.listen { event in
                            for hearer in hearers { await hearer.hear(event) }
                        }
                    })
            }
        }
    }

    /// Listens no longer, and not again.
    func end() {
        let tasks = state.withLock { state in
            state.isOver = true
            defer { state.tasks = [] }
            return state.tasks
        }
        for task in tasks { task.cancel() }
    }
}
