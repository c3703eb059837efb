import Synchronization

/// Hears what other processes announce through the sources that they share, and has the pipelines of this one forget it.
final class Listening: Sendable {
    private struct State {
        var tasks: [Task<Void, Never>] = []
        var isOver = false
        /// The sources that refuse.
        var refusing: Set<String> = []
    }

    private let sources: [String: any AnnouncingSource]
    private let redactor: Redactor
    private let observer: PipelineEvent.Observer?
    private let hearers = Hearers()
    private let state = Mutex(State())
    private let hasBegun = Atomic(false)

    /// Nil when none of `sources` announces anything.
    init?(_ sources: [String: any Source], redactor: Redactor, observer: PipelineEvent.Observer?) {
        let announcing = sources.compactMapValues { $0.asAnnouncing.flatMap { $0.announces ? $0 : nil } }
        if announcing.isEmpty { return nil }
        self.sources = announcing
        self.redactor = redactor
        self.observer = observer
    }

    deinit {
        end()
    }

    /// Has `invalidation` hear what is announced through those of `names` that tell anything, also when listening has begun.
    func add(_ invalidation: Invalidation, to names: some Sequence<String>) {
        let new = names.filter { sources[$0] != nil && hearers.add(invalidation, to: $0) }
        if new.isEmpty { return }
        // Not before it hears, and under the lock: a source that stops refusing meanwhile says so after this.
        state.withLock { invalidation.beginHearing(refusedBy: $0.refusing.intersection(new)) }
    }

    /// Begins to listen, the first time that it is called. Waits for nothing.
    func begin() {
        guard !hasBegun.load(ordering: .relaxed), !hasBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
        state.withLock { state in
            guard !state.isOver else { return }
            for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
                // Ends when it is cancelled in `end`, at the latest with the last pipeline.
                state.tasks.append(
                    Task { [hearers, weak self] in
                        await source.listen { [weak self] event in
                            let hasChanged = self?.note(event, from: name) ?? false
                            for hearer in hearers[name] { await hearer.hear(event, through: name) }
                            if hasChanged { self?.tell(event, from: name) }
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

    /// Keeps in mind which sources refuse, for who comes later; gives whether there is something to tell.
    private func note(_ event: HeardEvent, from source: String) -> Bool {
        state.withLock { state in
            switch event {
            case .refused:
                state.refusing.insert(source)
                return true
            case .began: return state.refusing.remove(source) != nil
            case .announced: return false
            }
        }
    }

    /// Tells that a source refuses, or that it does no more.
    private func tell(_ event: HeardEvent, from source: String) {
        let failure: String? = if case .refused(let reason) = event { redactor.redacted(reason) } else { nil }
        observer?(.listening(source: source, failure: failure))
    }
}
