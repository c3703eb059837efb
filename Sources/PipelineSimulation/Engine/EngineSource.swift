internal import Pipeline
private import Synchronization

/// A simulated source as the engine reads and writes it.
final class EngineSource: Sendable {
    private struct State {
        var calls: SourceCalls
        var copies: [Key: Entry] = [:]
        var payloads = Payloads()
        var served = 0
        var turns: [(number: UInt64, race: Race<Void>)] = []
        var lastTurn: UInt64 = 0
    }

    let name: String
    private let world: EngineWorld
    private let tier: Int
    private let isCache: Bool
    private let changes: ValueChanges?
    private let clock: PipelineClock
    private let state: Mutex<State>

    init(_ tier: SimulatedPipeline.Tier, number: Int, of pipeline: SimulatedPipeline, world: EngineWorld, clock: PipelineClock) {
        (name, self.tier, isCache) = (tier.name, number, tier.isCache)
        (self.world, self.clock) = (world, clock)
        changes = ValueChanges(tier.model, seed: pipeline.seed)
        state = Mutex(State(calls: SourceCalls(tier.model, source: tier.name, seed: pipeline.seed, keys: world.keyCount)))
    }

    private var elapsed: Int64 { clock.now.nanoseconds - MachineTime.start }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        // A read without a deadline is that of a write, which takes no time.
        if isCache, context.deadline == nil { return state.withLock { $0.copies[key] } }
        let began = clock.now
        try await takeTurn()
        defer { endTurn() }
        let now = elapsed
        let call = state.withLock { $0.calls.next(for: world.index(of: key), key, at: now) }
        world.noteCall(of: tier, at: now)
        switch call.ending {
        case .down: throw SourceError("down")
        case .hangs: try await Race<Void>().value()
        case .value, .lacking, .failed: break
        }
        if call.takes > 0 { try await clock.sleep(for: .nanoseconds(call.takes)) }
        if call.ending == .failed { throw SourceError("failed") }
        if isCache { return state.withLock { $0.copies[key] } }
        if call.ending == .lacking { return .notFound(created: began) }
        return value(for: key, began, servedFrom: now)
    }

    /// - Parameter begin: when the call was counted.
    private func value(for key: Key, _ began: Timestamp, servedFrom begin: Int64) -> Entry {
        let own = world.size(of: key)
        let size = own > 0 ? Int(own) : state.withLock(\.calls.model).size.bytes
        let version = changes?.version(of: key, at: began.nanoseconds - MachineTime.start) ?? 0
        world.noteBytes(size, of: tier, at: begin)
        return state.withLock { $0.payloads.entry(size: size, version: version, created: began) }
    }

    private func takeTurn() async throws {
        let turn = state.withLock { state -> (UInt64, Race<Void>)? in
            if state.calls.model.concurrency.map({ state.served < $0 }) ?? true {
                state.served += 1
                return nil
            }
            state.lastTurn += 1
            state.turns.append((state.lastTurn, Race<Void>()))
            return state.turns.last
        }
        guard let (number, race) = turn else { return }
        do {
            try await race.value()
        } catch {
            // Either it still waits, or it has been given a turn that it does not use.
            let waited = state.withLock { state in
                let count = state.turns.count
                state.turns.removeAll { $0.number == number }
                return state.turns.count < count
            }
            if !waited { endTurn() }
            throw error
        }
    }

    private func endTurn() {
        let next = state.withLock { state -> Race<Void>? in
            if state.turns.isEmpty {
                state.served -= 1
                return nil
            }
            return state.turns.removeFirst().race
        }
        next?.finish(.success(()))
    }

    func change(_ key: Key, to entry: Entry?) throws {
        try state.withLock { state in
            guard state.calls.takesWrites(at: elapsed) else { throw SourceError("down") }
            state.copies[key] = entry
        }
    }

    func clear(_ pipeline: String) {
        state.withLock { state in state.copies = state.copies.filter { !$0.key.pipeline.utf8.elementsEqual(pipeline.utf8) } }
    }
}

/// A simulated origin.
struct EngineOrigin: Source {
    let source: EngineSource

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { try await source.read(key, context) }
}

/// A simulated cache. Writes take no time: they are made after the answer.
struct EngineCache: WritableSource {
    let source: EngineSource

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { try await source.read(key, context) }
    func write(_ entry: Entry, for key: Key) async throws { try source.change(key, to: entry) }
    func remove(_ key: Key) async throws { try source.change(key, to: nil) }
    func clear(pipeline: String) async throws { source.clear(pipeline) }
}

/// The world of the simulated sources of one run: their view of the trace, and the counts of their reads.
final class EngineWorld: Sendable {
    private struct State {
        var sizes: [Int64]
        var tally: Tally
        var record: [Answer?]
        var payloads = Payloads()
    }

    private let numbers: [Key: Int32]
    private let state: Mutex<State>

    init(_ trace: Trace, tally: Tally, recording: Int) {
        numbers = Dictionary(zip(trace.keys, Int32(0)...), uniquingKeysWith: { first, _ in first })
        state = Mutex(
            State(
                sizes: Array(repeating: 0, count: trace.keys.count), tally: tally,
                record: Array(repeating: nil, count: min(recording, trace.requests.count))))
    }

    var result: (tally: Tally, record: [Answer?]) { state.withLock { ($0.tally, $0.record) } }

    var keyCount: Int { numbers.count }

    func index(of key: Key) -> Int32 { numbers[key] ?? 0 }

    func size(of key: Key) -> Int64 { state.withLock { $0.sizes[Int(index(of: key))] } }

    /// The entry that a request writes for `key`.
    func written(for key: Key, at now: Timestamp) -> Entry {
        let size = Int(size(of: key))
        return state.withLock { $0.payloads.entry(size: size, version: 0, created: now) }
    }

    func noteRequest(_ request: TraceRequest) {
        if request.size > 0 { state.withLock { $0.sizes[Int(request.key)] = request.size } }
    }

    func noteCall(of tier: Int, at now: Int64) { state.withLock { $0.tally.noteCall(of: tier, at: now) } }

    func noteBytes(_ count: Int, of tier: Int, at begin: Int64) { state.withLock { $0.tally.noteBytes(count, of: tier, at: begin) } }

    func note(_ answer: Answer, to index: Int, at time: Int64, key: Key, of origin: Int?) {
        state.withLock { state in
            if index < state.record.count { state.record[index] = answer }
            state.tally.note(answer, to: index, at: time, key: key, of: origin)
        }
    }
}
