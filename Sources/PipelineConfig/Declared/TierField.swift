internal import Pipeline

/// A field of a tier, besides its source: its name, type, default, range, documentation and what it sets, declared here alone.
///
/// All that must know each field switches over the cases, so that the compiler names the places where a new one is missing.
package enum TierField: String, CaseIterable, Sendable {
    case ttl
    case jitter
    case debounce
    case maxDelay = "max_delay"
    case timeout
    case softTimeout = "soft_timeout"
    case onError = "on_error"
    case onNotFound = "on_not_found"
    case lastResort = "last_resort"
    case reads = "read"
    case writes = "write"
    case retry
    case circuitBreaker = "circuit_breaker"

    /// The sources that a field means something for.
    enum Bearer {
        case cache
        case origin
        case any
    }

    var bearer: Bearer {
        switch self {
        case .ttl, .jitter, .debounce, .maxDelay: .cache
        case .onNotFound, .lastResort: .origin
        case .timeout, .softTimeout, .onError, .reads, .writes, .retry, .circuitBreaker: .any
        }
    }

    /// The fields that mean nothing for a cache, or nothing for an origin.
    static func meaningless(forCache isCache: Bool) -> [TierField] { allCases.filter { $0.bearer == (isCache ? .origin : .cache) } }

    /// Indicates whether it says how copies are kept, which only caches do.
    package var isOfCopies: Bool { bearer == .cache || self == .writes }

    /// How it is read, and what it sets.
    var setting: FieldSetting<TierConfig.Draft> {
        switch self {
        case .ttl:
            .init(Field(rawValue, default: TimeToLive.none, "How long a copy stays fresh in this cache.", example: "10m")) {
                $0.policy.ttl = $1.limit
            }
        case .jitter:
            .init(
                Field(
                    rawValue, default: Ratio(0), range: Ratio(0)...Ratio(1),
                    "Shortens each ttl by a random part of up to this ratio, so that copies do not expire together.", example: "10%")
            ) { $0.policy.jitter = $1.value }
        case .debounce:
            .init(
                Field(rawValue, default: Duration?.none, "How long a value must stay unchanged before it is written to this cache.")
            ) { $0.policy.debounce = $1 }
        case .maxDelay:
            .init(Field(rawValue, default: Duration?.none, "The longest time a debounced write waits; 10 × `debounce` by default.")) {
                $0.policy.maxDelay = $1
            }
        case .timeout:
            .init(
                Field(
                    rawValue, default: Duration?.none, range: OpenRange(after: Duration.zero),
                    "The longest time for an answer; 30s by default.")
            ) { $0.policy.timeout = $1 }
        case .softTimeout:
            .init(
                Field(
                    rawValue, default: Duration?.none, range: OpenRange(after: Duration.zero),
                    "How long to wait for an answer before a copy within `stale_if_error` is served instead. The load continues.")
            ) { $0.policy.softTimeout = $1 }
        case .onError:
            .init(Field(rawValue, default: ErrorPolicy.next, "What to do when this tier fails: ask the next tier, or fail the fetch.")) {
                $0.policy.onError = $1
            }
        case .onNotFound:
            .init(
                Field(
                    rawValue, default: NotFoundPolicy.stop,
                    "What to do when this origin answers `not_found`: stop with that answer, ask the next tier, or count it as a failure.")
            ) { $0.policy.onNotFound = $1 }
        case .lastResort:
            .init(
                Field(
                    rawValue, default: Bool?.none,
                    """
                    Whether this origin is asked only when no stale copy can be served, and its answer is written to no cache. \
                    True by default for `inline` below another origin.
                    """)
            ) { $0.policy.lastResort = $1 }
        case .reads: .init(Field(rawValue, default: true, "Whether the tier is asked.")) { $0.policy.reads = $1 }
        case .writes: .init(Field(rawValue, default: true, "Whether answers are written to this cache.")) { $0.policy.writes = $1 }
        case .retry: .init(Field(rawValue, default: RetryPolicy?.none, "How to retry a failed read.")) { $0.policy.retry = $1 }
        case .circuitBreaker:
            .init(
                Field(rawValue, default: CircuitBreakerPolicy?.none, "When to stop asking a failing source for a while.")
            ) { $0.policy.circuitBreaker = $1 }
        }
    }
}
