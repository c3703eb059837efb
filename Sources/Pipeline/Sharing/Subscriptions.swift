import Synchronization

/// The subscriptions of this process to the messages that others publish through the sources they share.
final class Subscriptions: Sendable {
    private struct State {
        /// The pipelines that receive what comes through each source.
        var receivers: [String: [Invalidation]] = [:]
        var tasks: [Task<Void, Never>] = []
        var isOver = false
        /// The sources that refuse a subscription.
        var refusing: Set<String> = []
    }

    private let sources: [String: any SharedSource]
    private let redactor: Redactor
    private let observer: PipelineEvent.Observer?
    private let state = Mutex(State())
    private let hasBegun = Atomic(false)

    /// Nil when no message comes through any of the caches `sources`.
    init?(_ sources: [String: any WritableSource], redactor: Redactor, observer: PipelineEvent.Observer?) {
        let publishing = sources.compactMapValues { $0.asShared.flatMap { $0.publishes ? $0 : nil } }
        if publishing.isEmpty { return nil }
        self.sources = publishing
        self.redactor = redactor
        self.observer = observer
    }

    deinit {
        end()
    }

    /// Passes on to `invalidation` what comes through the subscribed sources among `names`, also when the subscriptions have begun already.
    func add(_ invalidation: Invalidation, to names: some Sequence<String>) {
        state.withLock { state in
            let new = names.filter { name in
                sources[name] != nil && state.receivers[name]?.contains { $0 === invalidation } != true
            }
            if new.isEmpty { return }
            for name in new { state.receivers[name, default: []].append(invalidation) }
            // Under the lock: a source that stops refusing meanwhile says so after this.
            invalidation.beginSubscription(refusedBy: state.refusing.intersection(new))
        }
    }

    /// Subscribes, on the first call. Waits for nothing.
    func begin() {
        guard !hasBegun.load(ordering: .relaxed), !hasBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
        state.withLock { state in
            guard !state.isOver else { return }
            for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
                // Ends when it is cancelled in `end`, at the latest with the last pipeline.
                state.tasks.append(Task { [weak self] in await source.subscribe { [weak self] in await self?.receive($0, through: name) } })
            }
        }
    }

    /// Ends the subscriptions; none begins after it.
    func end() {
        let tasks = state.withLock { state in
            state.isOver = true
            defer { state.tasks = [] }
            return state.tasks
        }
        for task in tasks { task.cancel() }
    }

    private func receive(_ event: SubscriptionEvent, through source: String) async {
        let (receivers, isNews) = state.withLock { state in
            var isNews = false
            switch event {
            case .refused:
                // Remembered for pipelines that are added later.
                state.refusing.insert(source)
                isNews = true
            case .began: isNews = state.refusing.remove(source) != nil
            case .received: break
            }
            return (state.receivers[source] ?? [], isNews)
        }
        for receiver in receivers { await receiver.receive(event, through: source) }
        guard isNews else { return }
        let failure: String? = if case .refused(let reason) = event { redactor.redacted(reason) } else { nil }
        observer?(.subscription(source: source, failure: failure))
    }
}
