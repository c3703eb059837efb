import Synchronization

/// The removals that a source failed to make. Its copies of these keys are not served until it has made them.
package final class FailedRemovals: Sendable {
    private struct State {
        /// By pipeline.
        var keys: [String: Set<Key>] = [:]
        var pipelines: Set<String> = []
    }

    private let state = Mutex(State())
    /// Outside the lock, since every hit in memory reads it.
    private let hasNone = Atomic(true)
    /// The most keys of a pipeline that are kept. Beyond, all of its copies are not served until the source has forgotten them.
    private let mostKeys: Int

    init(mostKeys: Int = 10_000) { self.mostKeys = mostKeys }

    var isEmpty: Bool { hasNone.load(ordering: .acquiring) }

    package func contains(_ key: Key) -> Bool {
        !isEmpty && state.withLock { $0.pipelines.contains(key.pipeline) || $0.keys[key.pipeline]?.contains(key) == true }
    }

    func contains(pipeline: String) -> Bool {
        !isEmpty && state.withLock { $0.pipelines.contains(pipeline) }
    }

    func insert(_ key: Key) {
        change { [mostKeys] state in
            if state.pipelines.contains(key.pipeline) { return }
            state.keys[key.pipeline, default: []].insert(key)
            guard state.keys[key.pipeline, default: []].count > mostKeys else { return }
            state.keys[key.pipeline] = nil
            state.pipelines.insert(key.pipeline)
        }
    }

    func insert(pipeline: String) {
        change { state in
            state.keys[pipeline] = nil
            state.pipelines.insert(pipeline)
        }
    }

    /// The source holds nothing of `key` any more, or a newer value.
    func remove(_ key: Key) {
        guard !isEmpty else { return }
        change { state in
            state.keys[key.pipeline]?.remove(key)
            if state.keys[key.pipeline]?.isEmpty == true { state.keys[key.pipeline] = nil }
        }
    }

    /// The source holds nothing of the pipeline any more.
    func remove(pipeline: String) {
        guard !isEmpty else { return }
        change { state in
            state.pipelines.remove(pipeline)
            state.keys[pipeline] = nil
        }
    }

    private func change(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            hasNone.store(state.keys.isEmpty && state.pipelines.isEmpty, ordering: .releasing)
        }
    }
}
