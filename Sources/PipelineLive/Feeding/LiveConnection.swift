import Pipeline
import Synchronization

/// One connection of a change source, and the feeds that share it. It is there from the first key to the last.
final class LiveConnection: Sendable {
    private struct State {
        var machine: ConnectionMachine
        /// Those that were asked for.
        var feeds: [Feed] = []
        /// Those that have keys, in the order in which they joined.
        var list: [Feed] = []
        var phase = Phase.connecting
        /// Counts the phases, so that a key which joins meanwhile takes each once and in order.
        var phases: UInt64 = 1
        /// Counts the attempts: what an earlier one still reports is dropped.
        var attempt = 0
        var task: Task<Void, Never>?
        var isOver = false
    }

    /// Where it stands, as a key that joins it is told.
    enum Phase: Sendable {
        case connecting
        case open
        case closed(FeedStatus.State, reason: String, pause: Duration?)
    }

    let name: String
    private let source: any LiveSource
    private let key: Key
    private let connections: LiveConnections
    private let ended: @Sendable (LiveConnection) -> Void
    private let state: Mutex<State>

    /// - Parameter ended: called when it is no longer needed.
    init(
        _ name: String, _ source: any LiveSource, for key: Key, among connections: LiveConnections,
        ended: @escaping @Sendable (LiveConnection) -> Void
    ) {
        self.name = name
        self.source = source
        self.key = key
        self.connections = connections
        self.ended = ended
        state = Mutex(State(machine: ConnectionMachine(source.reconnecting)))
    }

    private var clock: PipelineClock { connections.clock }

    /// Since when a feed is live, for tests.
    var liveSince: Timestamp? { state.withLock(\.machine.liveSince) }

    /// Whether it was left by its last key.
    var isOver: Bool { state.withLock(\.isOver) }

    /// The feed of `pipeline`, or of the one from which that took over.
    func feed(_ spec: FeedSpec, of pipeline: DataPipeline) -> Feed {
        state.withLock { state in
            if let known = state.feeds.first(where: { $0.isSame(as: spec, of: pipeline) }) { return known }
            let new = Feed(spec, of: pipeline, over: self)
            state.feeds.append(new)
            return new
        }
    }

    /// The feed has its first key, or another one. Returns where the connection stands; nil when its last feed has left meanwhile.
    func join(_ feed: Feed) -> (phase: Phase, number: UInt64)? {
        state.withLock { state in
            if state.isOver { return nil }
            if !state.feeds.contains(where: { $0 === feed }) { state.feeds.append(feed) }
            if !state.list.contains(where: { $0 === feed }) { state.list.append(feed) }
            if state.task == nil {
                // Ends when the source says that nothing more will come; cancelled when the last feed leaves.
                state.task = Task { await self.run() }
            }
            return (state.phase, state.phases)
        }
    }

    /// The feed has no key any more.
    func leave(_ feed: Feed) {
        let task = state.withLock { state -> Task<Void, Never>? in
            // A key may have joined it again.
            guard feed.keys.isEmpty else { return nil }
            state.feeds.removeAll { $0 === feed }
            state.list.removeAll { $0 === feed }
            guard state.feeds.isEmpty else { return nil }
            state.isOver = true
            return state.task
        }
        guard isOver else { return }
        task?.cancel()
        ended(self)
    }

    private func run() async {
        while !Task.isCancelled {
            let (attempt, position, phase, feeds) = state.withLock { state in
                let isAgain = state.attempt > 0
                state.attempt += 1
                let position = source.resumes ? state.machine.position : nil
                // A server that refuses is tried again without a word, until it does not; and so is one that could not be asked.
                if case .closed(.refused, _, _) = state.phase { return (state.attempt, position, state.phases, [(Feed, Bool)]()) }
                if case .closed(.off, _, _) = state.phase { return (state.attempt, position, state.phases, [(Feed, Bool)]()) }
                state.phase = .connecting
                state.phases += 1
                return (state.attempt, position, state.phases, state.list.map { ($0, isAgain) })
            }
            for (feed, isAgain) in feeds { feed.connect(in: phase, again: isAgain) }
            let listener = LiveListener(
                position: position, reload: { [weak self] in await self?.refresh() },
                deliver: { [weak self] in self?.deliver($0, of: attempt) ?? [] }
            ) { [weak self] event in
                self?.handle(event, of: attempt, isResuming: position != nil)
            }
            guard let next = end(await listen(to: listener), of: attempt) else { return }
            guard (try? await clock.sleep(until: next)) != nil else { return }
        }
    }

    private func listen(to listener: LiveListener) async -> LiveEnding {
        do {
            return try await source.listen(for: key, to: listener)
        } catch {
            return LiveEnding(error)
        }
    }

    /// The connection ended; returns when the next attempt is due, nil when there is none.
    private func end(_ ending: LiveEnding, of attempt: Int) -> Timestamp? {
        if Task.isCancelled { return nil }
        let now = clock.now
        let reason = connections.redactor.redacted(ending.reason)
        var random = connections.random
        let (next, phase, feeds) = state.withLock { state in
            let next = state.machine.end(ending, at: now, random: &random)
            state.phase = .closed(next.state, reason: reason, pause: next.pause)
            state.phases += 1
            // What it still reports comes too late.
            state.attempt += 1
            return (next, state.phases, state.list)
        }
        for feed in feeds { feed.end(next.state, in: phase, reason: reason, pause: next.pause) }
        return next.pause.map { now + $0 }
    }

    private var feeds: [Feed] { state.withLock(\.list) }

    private func handle(_ event: LiveListener.Event, of attempt: Int, isResuming: Bool) {
        let (phase, feeds) = state.withLock { state -> (UInt64, [Feed]) in
            guard state.attempt == attempt else { return (0, []) }
            switch event {
            case .began:
                // A stream begins once.
                if case .open = state.phase { return (0, []) }
                state.phase = .open
                state.phases += 1
            case .position(let position): state.machine.mark(position)
            case .base(let base): state.machine.rebase(base)
            case .message, .alive, .skipped: break
            }
            return (state.phases, state.list)
        }
        for feed in feeds {
            switch event {
            case .began: feed.begin(in: phase, isResumed: isResuming)
            case .message(let message): feed.receive(message)
            case .alive: feed.showAlive()
            case .skipped(let reason): feed.skip(reason)
            case .position, .base: break
            }
        }
    }

    /// Hands a message to each feed; gives what became of it.
    private func deliver(_ message: LiveMessage, of attempt: Int) -> [MessageFate] {
        let feeds = state.withLock { $0.attempt == attempt ? $0.list : [] }
        var fates: [MessageFate] = []
        for feed in feeds { feed.receive(message) { fates.append($0) } }
        return fates
    }

    /// A feed of a key is live, in the phase of this number.
    func noteLive(in phase: UInt64) {
        state.withLock { [clock] state in
            guard case .open = state.phase, state.phases == phase else { return }
            state.machine.beLive(at: clock.now)
        }
    }

    /// Ends it, whatever its feeds are.
    func end() {
        let task = state.withLock { state in
            state.isOver = true
            return state.task
        }
        task?.cancel()
    }

    /// Loads the values of all its keys again.
    private func refresh() async {
        await withDiscardingTaskGroup { group in
            for key in feeds.flatMap(\.keys) { group.addTask { await key.refresh() } }
        }
    }
}
