import Synchronization

/// Hears what other processes announce through the sources that they share, and has the pipelines of this one forget it.
final class Listening: Sendable {
    private struct State {
        var tasks: [Task<Void, Never>] = []
        var isOver = false
    }

    private let sources: [String: any AnnouncingSource]
    private let hearers = Hearers()
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

    /// Has `invalidation` hear what is announced through those of `names` that tell anything, also when listening has begun.
    func add(_ invalidation: Invalidation, to names: some Sequence<String>) {
        let isNew = names.reduce(false) { isNew, name in
            sources[name] != nil && hearers.add(invalidation, to: name) || isNew
        }
        // Not before it hears.
        if isNew { invalidation.beginHearing() }
    }

    /// Begins to listen, the first time that it is called. Waits for nothing.
    func begin() {
        guard !hasBegun.load(ordering: .relaxed), !hasBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
        state.withLock { state in
            guard !state.isOver else { return }
            for (name, source) in sources {
                // Ends when it is cancelled in `end`, at the latest with the last pipeline.
                state.tasks.append(
                    Task { [hearers] in
                        await source.listen { event in
                            for hearer in hearers[name] { await hearer.hear(event) }
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
