import Pipeline
import Synchronization

/// A cache that answers without waiting, as memory does, and fails to write or to forget when it is told to.
final class StubMemory: WritableSource {
    private struct State {
        var held: [Key: Entry] = [:]
        var failsWrites = false
        var failsRemoves = false
    }

    private let state = Mutex(State())

    var contents: [Key: Entry] { state.withLock(\.held) }

    func setFailing(_ operation: Step.Failing, _ isOn: Bool) {
        state.withLock { state in
            switch operation {
            case .reads: break
            case .writes: state.failsWrites = isOn
            case .removes: state.failsRemoves = isOn
            }
        }
    }

    /// What the memory of a process that ended held is gone.
    func empty() { state.withLock { $0.held = [:] } }

    var style: ReadStyle { .immediate }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { peek(key) }

    func peek(_ key: Key) -> Entry? { state.withLock { $0.held[key] } }

    func write(_ entry: Entry, for key: Key) async throws {
        try state.withLock { state in
            if state.failsWrites { throw SourceError("memory fails") }
            state.held[key] = entry
        }
    }

    func remove(_ key: Key) async throws {
        try state.withLock { state in
            if state.failsRemoves { throw SourceError("memory fails") }
            state.held[key] = nil
        }
    }

    func clear(pipeline: String) async throws {
        try state.withLock { state in
            if state.failsRemoves { throw SourceError("memory fails") }
            state.held = state.held.filter { $0.key.pipeline != pipeline }
        }
    }
}
