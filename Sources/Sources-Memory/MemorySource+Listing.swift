public import Pipeline

extension MemorySource {
    /// Lists what it holds of `pipeline`; takes time in proportion to all entries, and counts as no use of them. Never throws.
    public func contents(of pipeline: String, limit: Int) async throws -> CacheContents? {
        CacheContents(shards.flatMap { $0.copies(of: pipeline) }, limit: limit)
    }
}
