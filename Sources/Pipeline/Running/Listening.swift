import Synchronization

/// Hears what other processes announce through the sources that they share, and has the pipelines of this one forget it.
final class Listening: Sendable {
    private struct State {
        var hearers: [String: [Invalidation]] = [:]
        var tasks: [Task<Void, Never>] = []
        var isOver = false
        /// The sources that refuse.
        var refusing: Set<String> = []
    }

    private let sources: [String: any AnnouncingSource]
    private let redactor: Redactor
    private let observer: PipelineEvent.Observer?
    private let state = Mutex(State())
    private let hasBegun = Atomic(false)

    /// Nil when none of `sources` announces anything.
    init?(_ sources: [String: any Source], redactor: Redactor, observer: PipelineEvent.Observer?) {
        let announcing = sources.compactMapValues { ($0 as? any AnnouncingSource).flatMap { $0.announces ? $0 : nil } }
        if announcing.isEmpty { return nil }
        self.sources = announcing
        self.redactor = redactor
        self.observer = observer
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
                    Task { [weak self] in
                        await source.listen { [weak self] event in
                            for hearer in hearers { await hearer.hear(event, through: name) }
                            self?.tell(event, from: name)
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

    /// Tells that a source refuses, and when it does no more.
    private func tell(_ event: HeardEvent, from source: String) {
        switch event {
        case .refused(let reason):
            state.withLock { _ = $0.refusing.insert(source) }
            observer?(.listening(source: source, failure: redactor.redacted(reason)))
        case .began:
            if state.withLock({ $0.refusing.remove(source) }) != nil { observer?(.listening(source: source, failure: nil)) }
        case .announced: break
        }
    }
}
