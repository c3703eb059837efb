/// The policy that a source has in one pipeline.
public struct TierPolicy: Sendable, Hashable {
    /// How long a copy stays fresh here; nil for as long as the entry it was made from.
    package var ttl: Duration?
    /// Each ttl is shortened by a random part of it up to this one, from 0 to 1: what is beyond is the end.
    package var jitter: Double
    /// The quiet time before a write; nil writes at once.
    package var debounce: Duration?
    /// The longest time a write waits; nil is ten times ``debounce``.
    package var maxDelay: Duration?
    /// The time to answer; nil is the default of 30 s.
    package var timeout: Duration?
    /// The time after which a copy within `stale_if_error` is served while the load goes on.
    package var softTimeout: Duration?
    /// What a failure here means for the fetch.
    package var onError: ErrorPolicy
    /// What it means for the fetch that this origin says there is no value.
    package var onNotFound: NotFoundPolicy
    /// Whether this origin is asked only when no stale copy may be served either, and its answer is written back only where `write_back`
    /// names it; nil is true for one that always answers below another origin, else false.
    package var lastResort: Bool?
    /// Whether the tier is asked.
    package var reads: Bool
    /// Whether answers are written to this cache.
    package var writes: Bool
    /// How a failed read is tried again; nil does not.
    package var retry: RetryPolicy?
    /// When the source is skipped after failures; nil never skips it.
    package var circuitBreaker: CircuitBreakerPolicy?

    /// A policy of these values, otherwise the defaults.
    ///
    /// - Parameters:
    ///   - ttl: how long a copy stays fresh here; nil for as long as the entry it was made from.
    ///   - jitter: each ttl is shortened by a random part of it up to this one, from 0 to 1: what is beyond is the end.
    ///   - debounce: the quiet time before a write; nil writes at once.
    ///   - maxDelay: the longest time a write waits; nil is ten times `debounce`.
    ///   - timeout: the time to answer; nil is the default of 30 s.
    ///   - softTimeout: the time after which a copy within `stale_if_error` is served while the load goes on.
    ///   - onError: what a failure here means for the fetch.
    ///   - onNotFound: what it means for the fetch that this origin says there is no value.
    ///   - lastResort: whether this origin is asked only when no stale copy may be served either, and its answer is written back only where
    ///     `write_back` names it; nil is true for one that always answers below another origin, else false.
    ///   - reads: whether the tier is asked.
    ///   - writes: whether answers are written to this cache.
    ///   - retry: how a failed read is tried again; nil does not.
    ///   - circuitBreaker: when the source is skipped after failures; nil never skips it.
    public init(
        ttl: Duration? = nil, jitter: Double = 0, debounce: Duration? = nil, maxDelay: Duration? = nil, timeout: Duration? = nil,
        softTimeout: Duration? = nil, onError: ErrorPolicy = .next, onNotFound: NotFoundPolicy = .stop, lastResort: Bool? = nil,
        reads: Bool = true, writes: Bool = true, retry: RetryPolicy? = nil, circuitBreaker: CircuitBreakerPolicy? = nil
    ) {
        self.ttl = ttl
        self.jitter = jitter.asPart
        self.debounce = debounce
        self.maxDelay = maxDelay
        self.timeout = timeout
        self.softTimeout = softTimeout
        self.onError = onError
        self.onNotFound = onNotFound
        self.lastResort = lastResort
        self.reads = reads
        self.writes = writes
        self.retry = retry
        self.circuitBreaker = circuitBreaker
    }

    /// How long a write waits at most when the tier does not say; the default of ``maxDelay``.
    package static func defaultMaxDelay(debounce: Duration) -> Duration { debounce * 10 }

    /// The time to answer when neither the tier nor the source names one: a hung load must end at some point.
    package static let defaultTimeout = Duration.seconds(30)

    /// The effective time to answer: ``timeout``, or else ``defaultTimeout``.
    package var timeLimit: Duration { timeout ?? Self.defaultTimeout }
}

extension Double {
    /// A part of 1: what is less than 0, or no number, is 0, and what is more than 1 is 1.
    package var asPart: Double { self > 0 ? min(self, 1) : 0 }
}
