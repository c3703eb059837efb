import Synchronization

/// The subscriptions of this process to the messages that others publish through the sources they share.
final class Subscriptions: Sendable {
    private struct State {
        /// The sources that publish, by name.
        var sources: [String: SourceSpec] = [:]
        /// The pipelines that receive what comes through each source.
        var receivers: [String: Receivers] = [:]
        var tasks: [String: Task<Void, Never>] = [:]
        var isOver = false
        /// The sources that refuse a subscription.
        var refusing: Set<String> = []
    }

    /// Pipelines in the order in which they came, each once.
    private struct Receivers {
        private(set) var inOrder: [Invalidation] = []
        private var ids: Set<ObjectIdentifier> = []

        func contains(_ receiver: Invalidation) -> Bool { ids.contains(ObjectIdentifier(receiver)) }

        mutating func append(_ receiver: Invalidation) {
            if ids.insert(ObjectIdentifier(receiver)).inserted { inOrder.append(receiver) }
        }

        mutating func keep(_ kept: Set<ObjectIdentifier>) {
            inOrder.removeAll { !kept.contains(ObjectIdentifier($0)) }
            ids.formIntersection(kept)
        }
    }

    private let redactor: Redactor
    private let observer: PipelineEvent.Observer?
    private let state = Mutex(State())
    private let hasBegun = Atomic(false)

    init(redactor: Redactor, observer: PipelineEvent.Observer?) {
        self.redactor = redactor
        self.observer = observer
    }

    /// Whether messages come through any source.
    var mayReceive: Bool { state.withLock { !$0.sources.isEmpty } }

    /// Subscribes through those of `sources` that publish, and through no other any more. What is the same as before stays subscribed.
    ///
    /// - Parameter pipelines: the pipelines that there still are: others receive nothing any more.
    func change(to sources: [String: SourceSpec], for pipelines: some Sequence<Invalidation>) {
        let publishing = sources.filter { $0.value.published != nil }
        let pipelines = Set(pipelines.map(ObjectIdentifier.init))
        let (tasks, missing) = state.withLock { state in
            let gone = state.sources.filter { publishing[$0.key]?.isSame(as: $0.value) != true }.keys
            state.sources = publishing
            state.refusing.subtract(gone)
            let missing = gone.flatMap { name in (state.receivers.removeValue(forKey: name)?.inOrder ?? []).map { (name, $0) } }
            for name in state.receivers.keys { state.receivers[name]?.keep(pipelines) }
            return (gone.compactMap { state.tasks.removeValue(forKey: $0) }, missing)
        }
        for task in tasks { task.cancel() }
        // What a source refused no longer matters.
        for (name, receiver) in missing { receiver.confirmation?.raise(to: receiver.clock.now, through: name) }
        if hasBegun.load(ordering: .acquiring) { subscribe() }
    }

    deinit {
        end()
    }

    /// Passes on to `invalidation` what comes through the subscribed sources among `names`, also when the subscriptions have begun already.
    func add(_ invalidation: Invalidation, to names: some Sequence<String>) {
        state.withLock { state in
            let new = names.filter { state.sources[$0] != nil && state.receivers[$0]?.contains(invalidation) != true }
            if new.isEmpty { return }
            for name in new { state.receivers[name, default: Receivers()].append(invalidation) }
            // Under the lock: a source that stops refusing meanwhile says so after this.
            invalidation.beginSubscription(refusedBy: state.refusing.intersection(new))
        }
    }

    /// Subscribes, on the first call. Waits for nothing.
    func begin() {
        guard !hasBegun.load(ordering: .relaxed), !hasBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
        subscribe()
    }

    private func subscribe() {
        state.withLock { state in
            guard !state.isOver else { return }
            for (name, spec) in state.sources.sorted(by: { $0.key < $1.key }) where state.tasks[name] == nil {
                guard let source = spec.published else { continue }
                // Ends when it is cancelled in `end` or in `change`, at the latest with the last pipeline.
                state.tasks[name] = Task { [weak self] in
                    await source.subscribe { [weak self] in await self?.receive($0, through: name, of: spec) }
                }
            }
        }
    }

    /// Ends the subscriptions; none begins after it.
    func end() {
        let tasks = state.withLock { state in
            state.isOver = true
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    private func receive(_ event: SubscriptionEvent, through source: String, of spec: SourceSpec) async {
        let (receivers, isNews) = state.withLock { state in
            // A source that another one of its name has replaced says no more.
            guard state.sources[source]?.isSame(as: spec) == true else { return ([Invalidation](), false) }
            var isNews = false
            switch event {
            case .refused:
                // Remembered for pipelines that are added later.
                state.refusing.insert(source)
                isNews = true
            case .began: isNews = state.refusing.remove(source) != nil
            case .received: break
            }
            return (state.receivers[source]?.inOrder ?? [], isNews)
        }
        for receiver in receivers { await receiver.receive(event, through: source) }
        guard isNews else { return }
        let failure: String? = if case .refused(let reason) = event { redactor.redacted(reason) } else { nil }
        observer?(.subscription(source: source, failure: failure))
    }
}

extension SourceSpec {
    /// The source, where it publishes messages.
    fileprivate var published: (any SharedSource)? { cache?.asShared.flatMap { $0.publishes ? $0 : nil } }
}
