/// One place in a pipeline's order: a source plus the policy it has there.
package struct Tier: Sendable {
    /// The name of the source, for traces.
    package let name: String
    /// The source.
    package let source: any Source
    /// The policy.
    package let policy: TierPolicy
    /// The policies around the tiers, as far as they concern a single one.
    let pipeline: PipelinePolicy
    /// What the source can do that its type does not tell.
    package let capabilities: Set<Capability>
    package let clock: PipelineClock
    let random: RandomGenerator
    /// The writes to the source; nil for an origin.
    package let queue: WriteQueue?
    let breaker: CircuitBreaker?
    /// The source, when it is a cache that several processes share.
    let shared: (any SharedSource)?
    /// Whether it answers without waiting; determined once, since every fetch asks.
    package let isImmediate: Bool
    /// How it reads several keys at once; nil where it does not.
    let batching: Batching?
    let redactor: Redactor
    let observer: PipelineEvent.Observer?
    /// What its copies are judged by.
    var rules: CopyRules
    /// The caches above it: a refresh of a copy of one of these asks this cache, too.
    var above: Set<String> = []

    /// A tier of `source`.
    ///
    /// - Parameters:
    ///   - name: what traces call it.
    ///   - queue: the queue of the source. Tiers of the same source must share one: make it once and hand it to each.
    ///   - isReadOnly: whether a source that can be written is used as an origin all the same.
    ///   - capabilities: what the source can do that its type does not tell.
    ///   - random: what the jitter draws from.
    ///   - observer: receives attempts and writes.
    package init(
        _ name: String, _ source: any Source, policy: TierPolicy = TierPolicy(), pipeline: PipelinePolicy = PipelinePolicy(),
        queue: WriteQueue? = nil, isReadOnly: Bool = false, capabilities: Set<Capability> = [], clock: PipelineClock = .system,
        random: RandomGenerator = .system, redactor: Redactor = Redactor(), observer: PipelineEvent.Observer? = nil
    ) {
        self.name = name
        self.source = source
        isImmediate = source.style == .immediate
        batching = source.batching
        self.policy = policy
        self.pipeline = pipeline
        self.capabilities = capabilities
        self.clock = clock
        self.random = random
        self.queue = isReadOnly ? nil : queue ?? (source as? any WritableSource).map { WriteQueue($0, clock: clock) }
        shared = self.queue?.source.asShared
        breaker = policy.circuitBreaker.map { CircuitBreaker($0, clock: clock) }
        self.redactor = redactor
        rules = CopyRules(freshness: Freshness(policy, pipeline), checksPayload: !isImmediate)
        self.observer = observer
    }

    /// Whether it is a cache.
    package var isCache: Bool { queue != nil }

    /// Whether it is a cache that is written, and whose copies do not end with the process.
    package var outlivesProcess: Bool { isCache && !isImmediate && policy.writes }

    /// Whether a value can wait here to be written: then a read has to look for it first.
    var mayHavePending: Bool { policy.debounce != nil || !isImmediate }

    /// How processes share loads through the source; nil when they do not.
    var sharedFlight: SharedFlight? { shared?.sharedFlight }
}

/// A tier behind a reference, which tells it from others of its name. A waiting write keeps it until it has ended, and there may be many.
final class TierReference: Sendable {
    let tier: Tier

    init(_ tier: Tier) {
        self.tier = tier
    }
}

extension TierReference {
    /// Writes an answer to the cache, or begins to, and notes the result in `log`.
    func store(_ entry: Entry, for call: Call, after trail: Trail = Trail(), _ standing: Standing, log: WriteLog) async {
        await tier.store(entry, for: call, after: trail, standing, log: log, in: self)
    }

    /// Writes a value that changes were merged into, or begins to. See ``Tier/store(merged:landed:for:_:log:in:)``.
    func store(merged entry: Entry, landed: Timestamp, for call: Call, _ standing: Standing, log: WriteLog) async {
        await tier.store(merged: entry, landed: landed, for: call, standing, log: log, in: self)
    }
}
