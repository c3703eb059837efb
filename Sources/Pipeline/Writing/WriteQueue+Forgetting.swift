import Synchronization

extension WriteQueue {
    /// Forgets `key` in the source, after what runs for it and instead of what waits.
    ///
    /// When that fails, the source is not trusted for the key until it has forgotten it, or holds a newer value.
    func remove(_ key: Key) async throws {
        switch await apply(.remove, for: key) {
        case .failed(let error): throw error
        // The removal is made all the same, only nobody waits for it.
        case .abandoned: throw CancellationError()
        case .refused: throw ShutDownError()
        case .done, .renewed, .unchanged, .notKept, .superseded, .outdated: break
        }
    }

    /// Tries again what failed: forgets `key`, or its whole pipeline.
    ///
    /// - Returns: what has been forgotten.
    func forgetAgain(_ key: Key) async throws -> Announcement {
        if state.withLock({ $0.distrusted.pipelines.contains(key.pipeline) }) {
            try await clear(pipeline: key.pipeline)
            return .pipeline(key.pipeline)
        }
        try await remove(key)
        return .key(key)
    }

    /// Forgets all keys of `pipeline`: drops what waits, lets end what runs, then clears the source.
    func clear(pipeline: String) async throws {
        for key in state.withLock({ $0.lanes.keys.filter { $0.pipeline == pipeline } }) {
            change(key) { $0.dropWaitingWrite() }
        }
        do {
            try await withTaskCancellationHandler {
                try await settle(where: { $0.pipeline == pipeline }, isSettled: { !$0.isRunning })
                try await source.clear(pipeline: pipeline)
            } onCancel: {
                // Nobody waits for it any more, and it may take long to notice that.
                distrust { $0.pipelines.insert(pipeline) }
            }
        } catch {
            distrust { $0.pipelines.insert(pipeline) }
            throw error
        }
        distrust { $0.forget(pipeline: pipeline) }
    }

    func distrust(_ change: (inout Distrust) -> Void) {
        state.withLock { distrust(in: &$0, change) }
    }

    func distrust(in state: inout State, _ change: (inout Distrust) -> Void) {
        change(&state.distrusted)
        isTrusted.store(state.distrusted.isEmpty, ordering: .releasing)
    }
}
