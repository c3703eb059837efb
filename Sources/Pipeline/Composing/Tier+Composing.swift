extension Tier {
    /// Makes the copy of `key` that this cache holds expire, after what runs for the key and before what is written later. It is not served
    /// from now on; one that cannot be marked is removed.
    ///
    /// - Parameter ended: called when that is done, or has failed: then it is not served until it is removed.
    func expire(_ key: Key, _ ended: @escaping @Sendable () -> Void = {}) async {
        guard let queue else { return ended() }
        if isImmediate {
            _ = await queue.apply(.remove, sparing: marking(key, in: queue), for: key)
            return ended()
        }
        var operation = WriteLane.Operation(change: .remove, sparing: marking(key, in: queue), completion: { _ in ended() })
        operation.limit = policy.timeLimit
        queue.schedule(operation, for: key)
    }

    /// Marks the copy instead of removing it, where the cache can do that; stale windows may then serve it.
    private func marking(_ key: Key, in queue: WriteQueue) -> WriteLane.Operation.Sparing? {
        guard isImmediate || capabilities.contains(.keepsMetadata) else { return nil }
        return { _ in
            // What had to be removed before must go.
            if queue.failedRemovals.contains(key) { return nil }
            guard let held = isImmediate ? try source.peek(key) : try await source.read(key), isFresh(held) else { return .unchanged }
            var copy = held
            copy.freshUntil = clock.now
            return try await queue.source.renew(held, as: copy, for: key) ? .renewed : nil
        }
    }
}

extension LoadRequest {
    /// How a composite asks its parts: as it was asked. A refresh in the background asks for no more than the parts' own caches have.
    var partPolicy: FetchPolicy { renews ? .default : policy }
}
