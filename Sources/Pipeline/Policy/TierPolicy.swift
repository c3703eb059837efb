/// The policy that a source has in one pipeline.
public struct TierPolicy: Sendable, Hashable {
    /// How long a copy stays fresh here.
    public var ttl: TimeToLive = .none
    /// Each ttl is shortened by a random part up to this.
    public var jitter = Ratio(0)
    /// The quiet time before a write; nil writes at once.
    public var debounce: Duration?
    /// The longest time a write waits; nil is ten times ``debounce``.
    public var maxDelay: Duration?
    /// The time to answer; nil is the default of 30 s.
    public var timeout: Duration?
    /// The time after which a copy within `stale_if_error` is served while the load goes on.
    public var softTimeout: Duration?
    /// What a failure here means for the fetch.
    public var onError = ErrorPolicy.next
    /// What it means for the fetch that this origin says there is no value.
    public var onNotFound = NotFoundPolicy.stop
    /// Whether this origin is asked only when no stale copy may be served either, and its answer is written back only where `write_back`
    /// names it; nil is true for one that always answers below another origin, else false.
    public var lastResort: Bool?
    /// Whether the tier is asked.
    public var reads = true
    /// Whether answers are written to this cache.
    public var writes = true
    /// How a failed read is tried again; nil does not.
    public var retry: RetryPolicy?
    /// When the source is skipped after failures; nil never skips it.
    public var circuitBreaker: CircuitBreakerPolicy?

    /// A policy with the defaults.
    public init() {}

    /// A policy with a ttl and otherwise the defaults.
    package init(ttl: Duration) {
        self.ttl = .limited(ttl)
    }

    /// How long a write waits at most when the tier does not say; the default of ``maxDelay``.
    package static func defaultMaxDelay(debounce: Duration) -> Duration { debounce * 10 }

    /// The time to answer when neither the tier nor the source names one: a hung load must end at some point.
    package static let defaultTimeout = Duration.seconds(30)

    /// The effective time to answer: ``timeout``, or else ``defaultTimeout``.
    package var timeLimit: Duration { timeout ?? Self.defaultTimeout }
}
