import Synchronization

/// The loads that wait at one tier whose source reads several keys at once.
final class Gatherer: Sendable {
    private struct Pool {
        var waiting: BatchPool<Gathered>
        /// Rings when it is to look again.
        var alarm = AlarmSlot()
    }

    private let batching: Batching
    private let isOfOrigin: Bool
    private let limit: Duration
    private let clock: PipelineClock
    private let load: Loader.Load
    private let loadBatch: @Sendable (LoadBatch) async throws -> LoadReply
    /// By what the keys of one call have in common.
    private let pools = Mutex<[Key: Pool]>([:])

    /// - Parameters:
    ///   - limit: the time that the tier has to answer, which goes on while a key waits here.
    ///   - load: reads one key.
    ///   - loadBatch: reads the keys of a batch.
    init(
        _ batching: Batching, isOfOrigin: Bool, within limit: Duration, clock: PipelineClock, load: @escaping Loader.Load,
        loadBatch: @escaping @Sendable (LoadBatch) async throws -> LoadReply
    ) {
        self.batching = batching
        self.isOfOrigin = isOfOrigin
        self.limit = limit
        self.clock = clock
        (self.load, self.loadBatch) = (load, loadBatch)
    }

    /// The reply to `call`, of a call of the source with others where there are some.
    func reply(to call: Call, _ trail: Trail, _ standing: Standing) async throws -> LoadReply {
        guard call.member != nil || batching.window > .zero, batching.parameter.map({ call.key[$0] != nil }) ?? true else {
            return try await load(call, trail, standing)
        }
        let now = clock.now
        var waiting = standing
        waiting.attempt.since = now
        let end = min(call.deadline ?? .distantFuture, now + limit)
        return try await Gathered(call, trail, waiting, at: self, since: now, until: end).reply()
    }

    /// Has loads read, each by its gatherer, that wait for no others of their own fetch.
    static func submit(_ ready: [Gathered]) {
        var rest = ready
        while let first = rest.first {
            first.gatherer.take(rest.filter { $0.gatherer === first.gatherer })
            rest.removeAll { $0.gatherer === first.gatherer }
        }
    }

    private func take(_ loads: [Gathered]) {
        let now = clock.now
        var changed: Set<Key> = []
        pools.withLock { pools in
            for load in loads {
                let id = common(of: load.call.key)
                pools[id, default: Pool(waiting: BatchPool(most: batching.most, window: batching.window))].waiting.add(
                    load, at: load.since, until: load.end)
                changed.insert(id)
            }
        }
        for id in changed { look(at: id, now) }
    }

    /// What all keys that can share a call with `key` have in common.
    private func common(of key: Key) -> Key {
        guard let parameter = batching.parameter else { return Key(pipeline: key.pipeline) }
        return Key(pipeline: key.pipeline, parameters: key.parameters.filter { !$0.name.utf8.elementsEqual(parameter.utf8) })
    }

    /// Makes the calls that are due.
    private func look(at id: Key, _ now: Timestamp) {
        let calls = pools.withLock { pools -> [[Gathered]] in
            guard let calls = pools[id]?.waiting.due(at: now) else { return [] }
            let wakes = pools[id]?.waiting.wakes
            pools[id]?.alarm.set(at: wakes, on: clock) { [weak self, clock] _ in self?.look(at: id, clock.now) }
            if wakes == nil { pools[id] = nil }
            return calls
        }
        for call in calls { begin(call) }
    }

    /// Forgets a load that was cancelled before its call.
    func remove(_ load: Gathered) {
        let id = common(of: load.call.key)
        pools.withLock { pools in
            pools[id]?.waiting.remove { $0 === load }
            guard pools[id]?.waiting.isEmpty == true else { return }
            pools[id]?.alarm.cancel(on: clock)
            pools[id] = nil
        }
    }

    private func begin(_ loads: [Gathered]) {
        let call = GatheredCall(loads.count)
        for load in loads { load.begin(call) }
        // Ends with the call; cancelled when the last of its loads is. No child of one of their tasks, whose cancellation is no concern of the
        // others.
        call.keep(
            Task.beginning {
                let result = await Result { try await self.replies(to: loads) }
                let end = self.clock.now
                // All go on before one of them does: the first must not find itself alone.
                for load in loads { load.call.member?.endCall() }
                for (index, load) in loads.enumerated() {
                    load.finish(result.map { SharedReply($0[index].taking(end.duration(since: load.since))) })
                }
            })
    }

    /// The reply to each of `loads`, in their order.
    private func replies(to loads: [Gathered]) async throws -> [LoadReply] {
        let batch = LoadBatch(loads)
        defer { batch.end() }
        guard batch.keys.count > 1 else {
            let reply = try await load(loads[0].call, loads[0].trail, loads[0].standing)
            return loads.map { _ in reply }
        }
        return batch.replies(from: try await loadBatch(batch), isOfOrigin: isOfOrigin)
    }
}

extension LoadReply {
    /// The reply after a load that took this long, with its wait for others.
    fileprivate func taking(_ duration: Duration) -> LoadReply {
        guard let last = attempts.indices.last else { return self }
        var reply = self
        reply.trail.attempts[last].duration = duration
        return reply
    }
}
