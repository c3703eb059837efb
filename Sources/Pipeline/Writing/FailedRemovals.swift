import Synchronization

/// The removals that a source failed to make. Its copies of these keys are not served until it has made them.
final class FailedRemovals: Sendable {
    private struct State {
        var keys: Set<Key> = []
        var pipelines: Set<String> = []
    }

    private let state = Mutex(State())
    /// Outside the lock, since every hit in memory reads it.
    private let hasNone = Atomic(true)

    var isEmpty: Bool { hasNone.load(ordering: .acquiring) }

    func contains(_ key: Key) -> Bool {
        !isEmpty && state.withLock { $0.keys.contains(key) || $0.pipelines.contains(key.pipeline) }
    }

    func contains(pipeline: String) -> Bool {
        !isEmpty && state.withLock { $0.pipelines.contains(pipeline) }
    }

    func insert(_ key: Key) {
        change { $0.keys.insert(key) }
    }

    func insert(pipeline: String) {
        change { $0.pipelines.insert(pipeline) }
    }

    /// The source holds nothing of `key` any more, or a newer value.
    func remove(_ key: Key) {
        if !isEmpty { change { $0.keys.remove(key) } }
    }

    /// The source holds nothing of the pipeline any more.
    func remove(pipeline: String) {
        guard !isEmpty else { return }
        change { state in
            state.pipelines.remove(pipeline)
            state.keys = state.keys.filter { $0.pipeline != pipeline }
        }
    }

    private func change<Change>(_ change: (inout State) -> Change) {
        state.withLock { state in
            _ = change(&state)
            hasNone.store(state.keys.isEmpty && state.pipelines.isEmpty, ordering: .releasing)
        }
    }
}
