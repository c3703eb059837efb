import Synchronization

/// The writes to one source: one at a time for each key, different keys side by side, many at once where the source stores them so.
///
/// A source has one queue, however many pipelines and tiers write to it.
package final class WriteQueue: Sendable {
    struct State {
        var lanes: [Key: WriteLane] = [:]
        /// The bytes of values that wait, and of those that are being written or ready to be.
        var waitingBytes = 0
        var runningBytes = 0
        /// When values that wait are due, by key.
        var dues = DueHeap<Key>()
        /// Rings for the first of them.
        var alarm = AlarmSlot()
        /// The keys whose operation waits for a writer.
        var ready = ReadyKeys()
        /// Nil for a writer that is about to begin.
        var writers: [UInt64: Task<Void, Never>?] = [:]
        var lastWriter: UInt64 = 0
        /// The last writer that was to stop; later ones make what still has to be made.
        var lastStopped: UInt64 = 0
        var waits = LaneWaits()
        var isClosed = false
        /// The keys of writes that have failed since it was closed, and that nothing makes up for.
        var lost: Set<Key> = []
        /// Whether failed writes are given up.
        var isStopped = false
    }

    /// What a read uses.
    enum View {
        /// The source.
        case source
        /// A value that is not written yet, or nil for a removal that is under way.
        case pending(Entry?)
        /// Nothing: the source failed to remove the key.
        case failedRemoval
    }

    package let source: any WritableSource
    /// The source, if it compares what it is given. Asked once, since the cast costs time.
    let comparing: (any ComparingSource)?
    let clock: PipelineClock
    /// The most bytes of values that are not written yet, bookkeeping included.
    let bound: Int
    /// The most entries that the source is handed at once. Asked once, whatever the source says later, and not while the lock is held.
    let most: Int
    let state = Mutex(State())
    /// The work that follows the end of a write; a flush waits for it.
    let following = BackgroundTasks()
    /// The leases under which this process loads values that are then written here.
    let leases = LeaseBook()
    /// Names this process where one of several writes the changes of a key.
    let writer = UniqueName.next()
    /// The removals that the source failed to make.
    package let failedRemovals = FailedRemovals()
    private let publisher = ChangePublisher()

    /// The queue of `source`.
    ///
    /// - Parameter bound: the most bytes of values that wait, bookkeeping included. Over it the debounced value that is due first is written at
    ///   once; when those that are being written hold as much, a write fails.
    package init(_ source: any WritableSource, clock: PipelineClock, bound: Size = .mebibytes(64)) {
        self.source = source
        comparing = source.style == .onThread ? source as? any ComparingSource : nil
        self.clock = clock
        self.bound = bound.bytes
        most = min(max(source.mostWrittenAtOnce, 1), 4_096)
    }

    /// Whether the source failed to remove something and has not done so since.
    var hasFailedRemovals: Bool { !failedRemovals.isEmpty }

    /// What a read of `key` uses.
    func view(of key: Key) -> View {
        state.withLock { state in
            switch state.lanes[key]?.pending {
            case .write(let entry): .pending(entry)
            case .remove: .pending(nil)
            case nil: failedRemovals.contains(key) ? .failedRemoval : .source
            }
        }
    }

    /// Takes a write and returns at once. Its completion is called when it has ended.
    package func schedule(_ operation: WriteLane.Operation, for key: Key) {
        let actions = take(operation, for: key, isBound: true)
        perform([(key, actions)])
        hurryOverBound()
    }

    /// Makes a change in the caller's task when nothing of this key runs, else behind what runs, and waits for it.
    ///
    /// - Parameter leavesNoOlder: whether what the cache held before goes where the change cannot be made, also where the permit does not say so.
    package func apply(
        _ change: WriteLane.Operation.Change, permit: Generations.WritePermit? = nil, sparing: WriteLane.Operation.Sparing? = nil,
        leavingNoOlder leavesNoOlder: Bool = false, for key: Key
    ) async -> WriteLane.Ending {
        let ended = Race<WriteLane.Ending>()
        var operation = WriteLane.Operation(
            change: change, permit: permit, sparing: sparing, completion: { ended.finish(.success($0)) })
        if leavesNoOlder { operation.leavesNoOlder = true }
        for action in take(operation, for: key, isBound: false) {
            if case .run(let operation) = action {
                await run(operation, for: key)
            } else {
                perform(action, for: key)
            }
        }
        // The change is made even when the caller is cancelled meanwhile; it only stops waiting.
        return (try? await ended.value()) ?? .abandoned
    }

    /// Takes no further changes; those taken before are still written.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Writes what waits, and returns when it is written or has failed, at the latest after `limit`.
    ///
    /// - Returns: the keys that are not written; once it is closed, those of failed writes as well.
    @discardableResult
    package func flush(within limit: Duration? = nil) async -> [Key] {
        change(state.withLock { Array($0.lanes.keys) }) { [clock] in $0.hurry(at: clock.now) }
        try? await clock.race(until: limit.map { clock.now + $0 }, late: {}) { [self] in
            try await settle { Array($0.keys) }
            await following.finishAll()
        }
        return state.withLock { $0.lost.union($0.lanes.filter { !$0.value.isEmpty }.keys) }.sorted { $0.text < $1.text }
    }

    /// Writes what waits for `key`, and returns when it is written or has failed.
    package func flush(_ key: Key) async {
        change([key]) { [clock] in $0.hurry(at: clock.now) }
        try? await settle { _ in [key] }
    }
}

extension WriteQueue {
    /// - Parameter isBound: whether it is rejected when too much is being written already.
    private func take(_ operation: WriteLane.Operation, for key: Key, isBound: Bool) -> [WriteLane.Action] {
        state.withLock { state in
            // Checked under the lock: a removal raises the generation first, and its own turn comes after this.
            let refusal: WriteLane.Ending? =
                if !operation.isCurrent {
                    .outdated
                } else if state.isClosed {
                    .refused
                } else if isBound, !operation.isRemoval, state.runningBytes > 0, state.runningBytes + operation.bytes > bound {
                    .failed(SourceError("\(Size(bytes: bound).spelling) of values wait to be written first"))
                } else {
                    nil
                }
            return Self.change(key, in: &state) { [clock] lane in
                guard let refusal else { return lane.add(operation, at: clock.now) }
                let actions = lane.refuse(operation, refusal)
                guard case .failed = refusal, operation.leavesNoOlder else { return actions }
                // The older copy goes all the same.
                return actions + lane.add(WriteLane.Operation(change: .remove).within(operation.limit), at: clock.now)
            }
        }
    }

    /// How many lanes are changed in one step, while others wait for the lock.
    private static let mostChangedAtOnce = 4_096

    /// Changes the lanes of `keys`, many in one step: a source that takes many entries at once then gets them together.
    func change(_ keys: [Key], _ body: @Sendable (inout WriteLane) -> [WriteLane.Action]) {
        var rest = keys[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.mostChangedAtOnce)
            rest = rest.dropFirst(part.count)
            perform(state.withLock { state in part.map { ($0, Self.change($0, in: &state, body)) } })
        }
    }

    /// Changes the lane of `key`, and keeps the counts of the queue.
    static func change(
        _ key: Key, in state: inout State, _ body: (inout WriteLane) -> [WriteLane.Action]
    ) -> [WriteLane.Action] {
        var lane = state.lanes[key] ?? WriteLane()
        let (waiting, running) = (lane.waitingBytes, lane.runningBytes)
        let actions = body(&lane)
        state.waitingBytes += lane.waitingBytes - waiting
        state.runningBytes += lane.runningBytes - running
        state.lanes[key] = lane.isIdle ? nil : lane
        // A dictionary keeps its capacity.
        if state.lanes.isEmpty, state.lanes.capacity > 1024 { state.lanes = [:] }
        return actions
    }

    func perform(_ changes: [(key: Key, actions: [WriteLane.Action])]) {
        var ready: [Key] = []
        for (key, actions) in changes {
            for action in actions {
                if case .run = action { ready.append(key) } else { perform(action, for: key) }
            }
        }
        if !ready.isEmpty { startWriting(ready) }
    }

    private func perform(_ action: WriteLane.Action, for key: Key) {
        switch action {
        case .run: startWriting([key])
        case .wait(let due): wake(key, at: due)
        case .complete(let operation, let ending):
            operation.completion(ending)
            noteReported(of: key)
        case .publish(let message):
            publisher.publish(message, of: key, in: following)
            noteReported(of: key)
        case .release(let completions):
            for completion in completions { completion(nil) }
        }
    }

    /// Only after the completion: a caller that waits for the end of the writes finds what the completion did.
    private func noteReported(of key: Key) {
        release(
            state.withLock { state in
                _ = Self.change(key, in: &state) { lane in
                    lane.reported()
                    return []
                }
                return state.settled(by: key)
            })
    }

    /// Notes how the operation that runs for `key` ended, and goes on with the next one.
    func end(_ operation: WriteLane.Operation, _ ending: WriteLane.Ending, for key: Key) {
        // A write makes up for a removal that failed.
        switch ending {
        case .done, .notKept: failedRemovals.remove(key)
        case .failed where operation.isRemoval: failedRemovals.insert(key)
        default: break
        }
        let (actions, settled) = state.withLock { state in
            if state.isClosed, !operation.isRemoval {
                if case .failed = ending { state.lost.insert(key) } else { state.lost.remove(key) }
            }
            let mayKeep = !state.isStopped && state.waitingBytes + operation.bytes <= bound
            let actions = Self.change(key, in: &state) { [clock] in $0.finish(ending, at: clock.now, mayKeep: mayKeep) }
            return (actions, state.settled(by: key))
        }
        perform([(key, actions)])
        release(settled)
    }

    private func release(_ settled: [Race<Void>]) {
        for race in settled { race.finish(.success(())) }
    }

    /// Waits until the lanes of the keys that `keys` picks have settled. Throws when the task is cancelled.
    func settle(
        isSettled: @escaping @Sendable (WriteLane) -> Bool = \.isSettled, _ keys: @Sendable ([Key: WriteLane]) -> [Key]
    ) async throws {
        let race = Race<Void>()
        let wait = state.withLock { state -> UInt64? in
            let keys = keys(state.lanes).filter { key in state.lanes[key].map { !isSettled($0) } ?? false }
            return keys.isEmpty ? nil : state.waits.add(race, for: keys, isSettled: isSettled)
        }
        guard let wait else { return }
        defer { state.withLock { $0.waits.remove(wait) } }
        try await race.value()
    }
}

extension WriteQueue.State {
    fileprivate mutating func settled(by key: Key) -> [Race<Void>] {
        waits.take(settledBy: lanes[key] ?? WriteLane(), of: key)
    }
}
