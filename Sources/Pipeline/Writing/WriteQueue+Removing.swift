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

extension WriteQueue {
    /// The keys of which a write is under way.
    func writtenKeys(where isMeant: (Key) -> Bool) -> [Key] {
        state.withLock { state in state.lanes.filter { isMeant($0.key) && $0.value.isWriting }.map(\.key) }
    }

    /// Does `work` when the last scheduled write of `key`, or the one that took its place, has ended or is put off; at once when there is none.
    ///
    /// A flush waits for it, too.
    func follow(_ key: Key, _ work: @escaping @Sendable () async -> Void) {
        // Ends with its work; cancelled when the pipelines end before.
        following.adopt(
            Task {
                if let hasEnded = state.withLock({ $0.lanes[key]?.endOfLastWrite }) {
                    try? await settle(isSettled: hasEnded) { _ in [key] }
                }
                await work()
            })
    }

    /// Publishes `message` when the last change of `key` has ended for good, or the one that took its place; at once when there is none.
    ///
    /// A flush waits for it, too. Messages that are asked for while a change is under way become one, and so do those that are asked for while
    /// another change waits behind it.
    func publish(_ message: ChangeMessage, afterChangesOf key: Key) {
        change([key]) { $0.publish(message) }
    }
}
