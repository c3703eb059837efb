/// The policy that a source has in one pipeline.
public struct TierPolicy: Sendable, Hashable {
    /// The time for which a copy stays fresh here; nil for as long as the entry it was made from.
    public var ttl: Duration?
    /// Each ttl is shortened by a random part of it up to this one, from 0 to 1: what is beyond is the end.
    public var jitter: Double { didSet { jitter = jitter.asPart } }
    /// The quiet time before a write; nil writes at once.
    public var debounce: Duration?
    /// The longest time a write waits; nil is ten times ``debounce``.
    public var maxDelay: Duration?
    /// The time to answer; nil is the default of 30 s.
    public var timeout: Duration?
    /// The time after which a copy within `stale_if_error` is served while the load goes on.
    public var softTimeout: Duration?
    /// The meaning of a failure here for the fetch.
    public var onError: ErrorPolicy
    /// The meaning for the fetch if this origin says that there is no value.
    public var onNotFound: NotFoundPolicy
    /// Indicates whether this origin is asked only if no stale copy may be served either, and its answer is written back only where
    /// `write_back` names it; nil is true for one that always answers below another origin, else false.
    public var lastResort: Bool?
    /// Indicates whether the tier is asked.
    public var reads: Bool
    /// Indicates whether answers are written to this cache.
    public var writes: Bool
    /// The rule by which a failed read is tried again; nil does not.
    public var retry: RetryPolicy?
    /// The rule for when the source is skipped after failures; nil never skips it.
    public var circuitBreaker: CircuitBreakerPolicy?

    /// A policy of these values, otherwise the defaults.
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

    /// The longest time that a write waits if the tier does not say; the default of ``maxDelay``.
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

/// The meaning of a failing tier for the fetch.
///
/// New cases may come: switch with a `default`.
public enum ErrorPolicy: String, Sendable, CaseIterable {
    /// The next tier is asked.
    case next
    /// The fetch fails with this tier's error.
    case fail
}

/// The meaning for the fetch if an origin says that there is no value.
///
/// New cases may come: switch with a `default`.
public enum NotFoundPolicy: String, Sendable, CaseIterable {
    /// The word of the origin is the answer: the fetch ends, and caches forget the value, or remember for a while that there is none.
    case stop
    /// The next tier is asked; nothing is removed, and nothing is remembered.
    case next
    /// The tier counts as failed: copies stay, and stale windows apply. For its circuit breaker it is well.
    case fail
}

/// The rule for how often and how soon a failed read is tried again.
public struct RetryPolicy: Sendable, Hashable {
    /// All attempts, the first one counted.
    public var attempts: Int
    /// The longest wait before the second attempt: each wait is random. It doubles with each further attempt.
    public var base: Duration
    /// The longest random wait. A server that asks for a longer one gets it.
    public var max: Duration

    /// A policy of `attempts` reads in all.
    public init(attempts: Int, base: Duration = .seconds(1), max: Duration = .seconds(30)) {
        self.attempts = attempts
        self.base = base
        self.max = max
    }

    /// The longest wait before the attempt after `failures` failed ones.
    ///
    /// - Parameter least: what the first wait is at least, where ``base`` is shorter.
    package func delay(after failures: Int, base least: Duration = .zero) -> Duration {
        let doublings = min(failures - 1, 40)
        let factor = Int64(1) << Int64(doublings)
        let (product, overflow) = Swift.max(base, least).saturatedNanoseconds.multipliedReportingOverflow(by: factor)
        return overflow ? max : min(.nanoseconds(product), max)
    }
}

/// The rule for when a failing source is skipped for a while.
///
/// Errors, timeouts and invalid payloads count, each try of a read that is tried again by itself. A ``SourceError`` of the kind ``SourceError/Kind-swift.enum/rejected`` proves that the source
/// works, as any answer does, and so does a `not_found`, whatever `on_not_found` makes of it.
public struct CircuitBreakerPolicy: Sendable, Hashable {
    /// The number of failures in a row that open the circuit; 0 never opens it.
    public var failures: Int
    /// The time for which the source is then skipped, before one request is let through, which is not tried again.
    public var openFor: Duration

    /// A breaker that opens for `openFor` after `failures` failures in a row.
    public init(failures: Int, openFor: Duration) {
        self.failures = failures
        self.openFor = openFor
    }
}

/// The way in which processes share the load of a key that none of them has: the value of `shared_flight`.
public struct SharedFlight: Sendable, Hashable {
    /// The time that the lease of the process that loads lasts. The process renews it at each third of this time, however long its load
    /// takes; when it dies, another process loads after this time at the latest. Give all processes the same.
    public var lease: Duration

    /// Shares loads, with a lease of this length.
    public init(lease: Duration = .seconds(5)) {
        self.lease = lease
    }
}
