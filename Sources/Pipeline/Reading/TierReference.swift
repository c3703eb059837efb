/// A tier behind a reference: a write that waits keeps it until it has ended, and many wait.
final class TierReference: Sendable {
    let tier: Tier

    init(_ tier: Tier) {
        self.tier = tier
    }
}

extension TierReference {
    /// Writes an answer to the cache, or begins to, and notes in `log` what came of it.
    func store(_ entry: Entry, for request: LoadRequest, log: WriteLog) async {
        await tier.store(entry, for: request, log: log, in: self)
    }
}
