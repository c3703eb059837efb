/// The shortest way to an answer: the first tier, when it answers without waiting and holds a fresh copy that needs no second look.
///
/// It allocates nothing and takes no lock but the source's own. Everything else goes the long way, which judges alike.
final class HitPath: Sendable {
    private let source: any ImmediateSource
    private let queue: WriteQueue
    private let mayHavePending: Bool
    private let name: String
    private let freshness: Freshness
    private let horizon: Horizon?
    private let clock: PipelineClock
    private let observer: PipelineEvent.Observer?

    /// Nil when the first answer of `tiers` has to be waited for.
    init?(_ loader: Loader, tiers: [Tier], clock: PipelineClock) {
        guard loader.immediate != nil, let tier = tiers.first, let source = tier.immediate, let queue = tier.queue else { return nil }
        self.source = source
        self.queue = queue
        mayHavePending = tier.mayHavePending
        name = tier.name
        freshness = tier.freshness
        horizon = tier.horizon
        self.clock = clock
        observer = tier.observer
    }

    /// The answer for `key`; nil when it is to be looked for the long way.
    @inline(__always)
    func outcome(for key: Key) -> Outcome? {
        if mayHavePending || queue.hasDistrust { return nil }
        guard let entry = source.peek(key), !entry.isNotFound else { return nil }
        if let horizon, horizon.hides(entry) { return nil }
        let limit = freshness.limit(of: entry)
        let now = clock.now
        guard entry.created <= now, limit.map({ now < $0 }) ?? true, !freshness.isDueForRefresh(entry, freshUntil: limit, at: now)
        else { return nil }
        if let observer {
            observer(.attempt(Attempt(name, .hit), key: key))
            observer(.fetch(FetchSummary(.value, from: name), key: key))
        }
        return Outcome(hit: consume entry, freshUntil: limit, in: name, for: key, at: now)
    }
}
