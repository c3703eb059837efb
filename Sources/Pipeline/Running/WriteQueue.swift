import Synchronization

/// The writes to one source: one at a time for each key, different keys side by side.
///
/// A source has one queue, however many pipelines and tiers write to it.
public final class WriteQueue: Sendable {
    struct State {
        var lanes: [Key: WriteLane] = [:]
        var waitingBytes = 0
        /// Keys in the order in which values began to wait; some have been written since.
        var order: [Key] = []
        var settlings: [ObjectIdentifier: Settling] = [:]
        var isClosed = false
        /// What the source was told to forget, and failed to.
        var distrusted = Distrust()

        /// Keeps the order of those that wait; those that were written since are dropped when they are the most.
        mutating func noteWaiting(_ key: Key) {
            if order.count > 2 * lanes.count + 64 {
                var seen: Set<Key> = []
                order = order.filter { (lanes[$0]?.waitingBytes ?? 0) > 0 && seen.insert($0).inserted }
            }
            order.append(key)
        }
    }

    /// What a read has to go by.
    enum View {
        /// The source.
        case source
        /// A value that is not written yet, or nil for a removal that is under way.
        case pending(Entry?)
        /// Nothing: the source failed to forget the key.
        case distrusted
    }

    /// Somebody who waits until certain keys have settled.
    struct Settling {
        var keys: Set<Key>
        let isSettled: @Sendable (WriteLane) -> Bool
        let race: Race<Void>
    }

    let source: any WritableSource
    private let clock: PipelineClock
    /// Values that wait may hold so many bytes; over it the one that waits longest is written at once.
    private let bound: Int
    let state = Mutex(State())
    /// What is done when a write has ended; a flush waits for it.
    let following = BackgroundTasks()
    /// The leases under which this process loads what is to be written here.
    let leases = LeaseBook()
    /// Whether anything is distrusted at all: for those who read without waiting, and take no lock for it.
    let isTrusted = Atomic(true)

    /// The queue of `source`.
    ///
    /// - Parameter bound: the most bytes of debounced values kept waiting; over it the oldest is written at once.
    public init(_ source: any WritableSource, clock: PipelineClock, bound: Size = .mebibytes(64)) {
        self.source = source
        self.clock = clock
        self.bound = bound.bytes
    }

    /// Whether the source failed to forget something and has not done so since.
    var hasDistrust: Bool { !isTrusted.load(ordering: .acquiring) }

    /// Whether the source failed to forget `key`, and may hold what was to go.
    func isDistrusted(_ key: Key) -> Bool {
        hasDistrust && state.withLock { $0.distrusted.contains(key) }
    }

    /// What a read of `key` has to go by.
    func view(of key: Key) -> View {
        state.withLock { state in
            switch state.lanes[key]?.pending {
            case .write(let entry): .pending(entry)
            case .remove: .pending(nil)
            case nil: state.distrusted.contains(key) ? .distrusted : .source
            }
        }
    }

    /// Takes a write and returns at once; `completion` is told how it ended.
    func schedule(_ operation: WriteLane.Operation, for key: Key) {
        let actions = take(operation, for: key)
        perform(actions, for: key)
        hurryOverBound()
    }

    /// Makes a change in the caller's task when nothing of this key runs, else behind what runs, and waits for it.
    func apply(
        _ change: WriteLane.Operation.Change, ticket: Generations.Ticket? = nil, sparing: WriteLane.Operation.Sparing? = nil, for key: Key
    ) async -> WriteLane.Ending {
        let ended = Race<WriteLane.Ending>()
        let operation = WriteLane.Operation(
            change: change, ticket: ticket, sparing: sparing, completion: { ended.finish(.success($0)) })
        for action in take(operation, for: key) {
            if case .run(let operation) = action {
                await run(operation, for: key)
            } else {
                perform([action], for: key)
            }
        }
        // The change is made even when the caller is cancelled meanwhile; it only stops waiting.
        return (try? await ended.value()) ?? .abandoned
    }

    /// Takes nothing any more; what it took before is still written.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Writes what waits, and returns when it is written or has failed, at the latest after `limit`.
    ///
    /// - Returns: the keys that are not written.
    @discardableResult
    public func flush(within limit: Duration? = nil) async -> [Key] {
        for key in state.withLock({ Array($0.lanes.keys) }) { hurry(key) }
        let isSettled = Race<Void>()
        // Both end with the race: the one when everything has settled, the other at the limit.
        let wait = Task {
            let result = await Result { try await self.settle(where: { _ in true }) }
            await following.finishAll()
            isSettled.finish(result)
        }
        let timer = limit.map { limit in
            Task { if (try? await clock.sleep(for: limit)) != nil { isSettled.finish(.success(())) } }
        }
        try? await isSettled.value()
        wait.cancel()
        timer?.cancel()
        return state.withLock { $0.lanes.filter { !$0.value.isEmpty }.map(\.key) }.sorted { $0.text < $1.text }
    }

    /// Writes what waits for `key`, and returns when it is written or has failed.
    public func flush(_ key: Key) async {
        hurry(key)
        try? await settle { $0 == key }
    }
}

extension WriteQueue {
    private func take(_ operation: WriteLane.Operation, for key: Key) -> [WriteLane.Action] {
        state.withLock { state in
            // Looked at under the lock: a removal raises the generation first, and its own turn comes after this.
            let refusal: WriteLane.Ending? =
                if !operation.isCurrent { .outdated } else if state.isClosed { .refused } else { nil }
            return Self.change(key, in: &state) { [clock] lane in
                refusal.map { lane.refuse(operation, $0) } ?? lane.add(operation, at: clock.now)
            }
        }
    }

    private func hurry(_ key: Key) {
        change(key) { [clock] in $0.hurry(at: clock.now) }
    }

    func change(_ key: Key, _ body: @Sendable (inout WriteLane) -> [WriteLane.Action]) {
        perform(state.withLock { Self.change(key, in: &$0, body) }, for: key)
    }

    /// Changes the lane of `key` and keeps the books.
    static func change(
        _ key: Key, in state: inout State, _ body: (inout WriteLane) -> [WriteLane.Action]
    ) -> [WriteLane.Action] {
        var lane = state.lanes[key] ?? WriteLane()
        let before = lane.waitingBytes
        let actions = body(&lane)
        state.waitingBytes += lane.waitingBytes - before
        state.lanes[key] = lane.isIdle ? nil : lane
        if before == 0, lane.waitingBytes > 0 { state.noteWaiting(key) }
        return actions
    }

    private func perform(_ actions: [WriteLane.Action], for key: Key) {
        for action in actions {
            switch action {
            case .run(let operation):
                // Ends with the write; `flush` waits for it.
                Task { await run(operation, for: key) }
            case .wait(let due):
                // Ends when the quiet time is over; a later change of the key makes its waking harmless.
                Task {
                    try? await clock.sleep(for: due.duration(since: clock.now))
                    change(key) { [clock] in $0.wake(at: clock.now) }
                }
            case .complete(let operation, let ending):
                operation.completion(ending)
                noteTold(of: key)
            case .tell(let telling):
                tell(telling, of: key)
                noteTold(of: key)
            case .release(let completions):
                for completion in completions { completion(nil) }
            }
        }
    }

    /// Only now: who waits for the end of the writes reads what was said of them, and waits for what follows.
    private func noteTold(of key: Key) {
        release(
            state.withLock { state in
                _ = Self.change(key, in: &state) { lane in
                    lane.told()
                    return []
                }
                return Self.settled(by: key, in: &state)
            })
    }

    private func run(_ operation: WriteLane.Operation, for key: Key) async {
        let ending = await carryOut(operation, for: key)
        // What it holds now is what it was told last.
        switch ending {
        case .done where hasDistrust, .notKept where hasDistrust: distrust { $0.keys.remove(key) }
        case .failed where operation.isRemoval: distrust { $0.keys.insert(key) }
        default: break
        }
        let (actions, settled) = state.withLock { state in
            let mayKeep = state.waitingBytes + operation.bytes <= bound
            let actions = Self.change(key, in: &state) { [clock] in $0.finish(ending, at: clock.now, mayKeep: mayKeep) }
            return (actions, Self.settled(by: key, in: &state))
        }
        perform(actions, for: key)
        release(settled)
    }

    private func release(_ settled: [Race<Void>]) {
        for race in settled { race.finish(.success(())) }
    }

    private func carryOut(_ operation: WriteLane.Operation, for key: Key) async -> WriteLane.Ending {
        do {
            switch operation.change {
            case .write(let entry):
                guard operation.isCurrent else { return .outdated }
                do {
                    if let ending = try await operation.sparing?() { return ending }
                    // The key may have been removed while the source was looked at.
                    guard operation.isCurrent else { return .outdated }
                    try await source.write(entry, for: key)
                } catch let error as NotKept {
                    return .notKept(error.reason)
                }
            case .remove:
                try await source.remove(key)
            }
            return .done
        } catch {
            return .failed(error)
        }
    }

    /// Writes the values that wait longest, until those that wait are within the bound.
    private func hurryOverBound() {
        let hurried = state.withLock { state -> [(Key, [WriteLane.Action])] in
            var hurried: [(Key, [WriteLane.Action])] = []
            var passed = 0
            while state.waitingBytes > bound, passed < state.order.count {
                let key = state.order[passed]
                passed += 1
                hurried.append((key, Self.change(key, in: &state) { [clock] in $0.hurry(at: clock.now) }))
            }
            state.order.removeFirst(min(passed, state.order.count))
            return hurried
        }
        for (key, actions) in hurried { perform(actions, for: key) }
    }
}
