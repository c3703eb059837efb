extension DataPipeline {
    /// Loads the values that no cache has a fresh copy of, so that later fetches find them in a cache. Returns the keys whose load failed.
    ///
    /// A prefetch gives way to everything else: its loads have the priority ``Priority/background`` until a fetch joins one. For a fresh copy
    /// only the caches are asked. Without a cache in the pipeline nothing is kept.
    ///
    /// Returns when all keys are done. When the task is cancelled, keys that were not begun are not asked for, a load that runs ends unless a
    /// fetch waits for it, too, and `CancellationError` is thrown. Throws ``ShutDownError`` when the pipelines were shut down, and nothing else.
    ///
    /// - Parameters:
    ///   - keys: asked for in this order.
    ///   - concurrency: how many are asked for at a time; at least 1.
    @discardableResult
    public func prefetch(_ keys: some Sequence<Key>, concurrency: Int = 4) async throws -> [Key] {
        try await withThrowingTaskGroup(of: Key?.self) { group in
            var (left, failed) = (keys.makeIterator(), [Key]())
            /// Whether there was another key.
            @discardableResult
            func begin() -> Bool {
                guard let key = left.next() else { return false }
                group.addTask {
                    if case .failed = try await self.fetch(key, priority: .background).result { key } else { nil }
                }
                return true
            }
            var begun = 0
            while begun < max(1, concurrency), begin() { begun += 1 }
            while let ended = try await group.next() {
                if let ended { failed.append(ended) }
                begin()
            }
            return failed
        }
    }
}
