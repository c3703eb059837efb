import Synchronization

extension WriteQueue {
    /// Forgets `key` in the source, after what runs for it and instead of what waits.
    ///
    /// When that fails, reads of the key do not use the source until it has forgotten it, or holds a newer value.
    func remove(_ key: Key) async throws {
        switch await apply(.remove, for: key) {
        case .failed(let error): throw error
        // The removal is made all the same; the caller stopped waiting.
        case .abandoned: throw CancellationError()
        case .refused: throw ShutDownError()
        case .done, .renewed, .unchanged, .notKept, .leftToAnother, .superseded, .outdated: break
        }
    }

    /// Makes a removal that failed: of `key`, or of its whole pipeline.
    ///
    /// - Returns: what is removed now.
    func retryRemoval(of key: Key) async throws -> InvalidationMessage {
        if failedRemovals.contains(pipeline: key.pipeline) {
            try await clear(pipeline: key.pipeline)
            return .pipeline(key.pipeline)
        }
        try await remove(key)
        return .key(key)
    }

    /// Forgets all keys of `pipeline`: drops what waits, lets end what runs, then clears the source.
    func clear(pipeline: String) async throws {
        change(state.withLock { $0.lanes.keys.filter { $0.pipeline == pipeline } }) { $0.dropWaitingWrite() }
        do {
            try await withTaskCancellationHandler {
                try await settle(isSettled: { !$0.isRunning }) { $0.keys.filter { $0.pipeline == pipeline } }
                try await source.clear(pipeline: pipeline)
            } onCancel: {
                // The caller goes on, and the source may take long to notice.
                failedRemovals.insert(pipeline: pipeline)
            }
        } catch {
            failedRemovals.insert(pipeline: pipeline)
            throw error
        }
        failedRemovals.remove(pipeline: pipeline)
    }
}
