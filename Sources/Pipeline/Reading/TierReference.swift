/// A tier behind a reference, which tells it from others of its name. A waiting write keeps it until it has ended, and there may be many.
final class TierReference: Sendable {
    let tier: Tier

    init(_ tier: Tier) {
        self.tier = tier
    }
}

extension TierReference {
    /// Writes an answer to the cache, or begins to, and notes the result in `log`.
    func store(_ entry: Entry, for request: LoadRequest, log: WriteLog) async {
        await tier.store(entry, for: request, log: log, in: self)
    }

    /// Writes a value that changes were merged into, or begins to. See ``Tier/store(merged:landed:for:log:in:)``.
    func store(merged entry: Entry, landed: Timestamp, for request: LoadRequest, log: WriteLog) async {
        await tier.store(merged: entry, landed: landed, for: request, log: log, in: self)
    }
}
