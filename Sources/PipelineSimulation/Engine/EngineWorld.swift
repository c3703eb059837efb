internal import Pipeline
private import Synchronization

/// What the simulated sources of one run know of the trace, and where their reads are counted.
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

    /// What a request writes for `key`.
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
