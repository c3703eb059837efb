/// One place in a pipeline's order: a source plus the policy it has there.
public struct Tier: Sendable {
    /// The name of the source, for traces.
    public let name: String
    /// The source.
    public let source: any Source
    /// The policy.
    public let policy: TierPolicy
    /// The policies around the tiers, as far as they concern a single one.
    let pipeline: PipelinePolicy
    /// Whether it can remember that there is no value.
    let keepsNotFound: Bool
    let clock: PipelineClock
    let random: RandomGenerator
    /// The writes to the source; nil for an origin.
    let queue: WriteQueue?
    let breaker: CircuitBreaker?
    /// The source, when it answers without waiting; looked up once, since every hit asks.
    let immediate: (any ImmediateSource)?
    /// The source, when it reads on the calling thread.
    let synchronous: (any SynchronousSource)?
    /// The source, when it is a cache that keeps time limits itself.
    let punctual: (any PunctualSource)?
    let redactor: Redactor
    let freshness: Freshness
    let observer: PipelineEvent.Observer?
    /// From when on this process hears which copies of its own no longer hold; nil where nobody tells it, or the source is shared.
    var horizon: Horizon?

    /// A tier of `source`.
    ///
    /// - Parameters:
    ///   - name: what traces call it.
    ///   - queue: the queue of the source. Tiers of the same source must share one: make it once and hand it to each.
    ///   - isReadOnly: whether a source that can be written is used as an origin all the same.
    ///   - keepsNotFound: whether the source can store an entry without a payload.
    ///   - random: what the jitter draws from.
    ///   - observer: is told of attempts and writes.
    public init(
        _ name: String, _ source: any Source, policy: TierPolicy = TierPolicy(), pipeline: PipelinePolicy = PipelinePolicy(),
        queue: WriteQueue? = nil, isReadOnly: Bool = false, keepsNotFound: Bool = false, clock: PipelineClock = .system,
        random: RandomGenerator = .system, redactor: Redactor = Redactor(), observer: PipelineEvent.Observer? = nil
    ) {
        self.name = name
        self.source = source
        immediate = source.asImmediate
        synchronous = source.asSynchronous
        self.policy = policy
        self.pipeline = pipeline
        self.keepsNotFound = keepsNotFound
        self.clock = clock
        self.random = random
        self.queue = isReadOnly ? nil : queue ?? source.asWritable.map { WriteQueue($0, clock: clock) }
        // A cast costs the start of the program: only a cache that has to be waited for is asked.
        punctual = self.queue != nil && immediate == nil && synchronous == nil ? source as? any PunctualSource : nil
        breaker = policy.circuitBreaker.map { CircuitBreaker($0, clock: clock) }
        self.redactor = redactor
        freshness = Freshness(policy, pipeline)
        self.observer = observer
    }

    /// Whether it is a cache.
    var isCache: Bool { queue != nil }

    /// Whether a value can wait here to be written: then a read has to look for it first.
    var mayHavePending: Bool { policy.debounce != nil || !isImmediate }

    /// How processes share loads through the source; nil when they do not.
    var sharedFlight: SharedFlight? { source.asLeasing?.sharedFlight }

    /// Whether it answers without waiting.
    var isImmediate: Bool { immediate != nil }
}
