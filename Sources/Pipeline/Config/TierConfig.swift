/// One tier as the file declares it.
public struct TierConfig: Sendable {
    /// The name of its source.
    public let source: String
    /// Where the source is named.
    public let range: TextRange
    /// The policy.
    public let policy: TierPolicy
    /// Where each field of the policy stands.
    let fieldRanges: [String: TextRange]
}

extension TierConfig: FieldValue {
    static let fields = FieldGroup(
        Field<String>("source", "The name of the source, one of those under `sources:`.", example: "memory"),
        Field("ttl", default: TimeToLive.none, "How long a copy stays fresh here (caches).", example: "10m"),
        Field("jitter", default: Ratio(0), range: Ratio(0)...Ratio(1), "Shortens each ttl by a random part up to this."),
        Field("debounce", default: Duration?.none, "The quiet time to wait for before writing (caches)."),
        Field("max_delay", default: Duration?.none, "The longest time a write waits; 10 × debounce unless given."),
        Field("timeout", default: Duration?.none, range: .nanoseconds(1)..., "The time to answer; 30s unless given."),
        Field(
            "soft_timeout", default: Duration?.none, range: .nanoseconds(1)...,
            "After it a copy within stale_if_error is served, and the load goes on."),
        Field("on_error", default: ErrorPolicy.next, "What a failure here means: ask the next tier, or fail."),
        Field("read", default: true, "Whether the tier is asked."),
        Field("write", default: true, "Whether answers are written to it."),
        Field("retry", default: RetryPolicy?.none, "How a failed read is tried again."),
        Field("circuit_breaker", default: CircuitBreakerPolicy?.none, "When the source is left alone for a while.")
    ) { source, ttl, jitter, debounce, maxDelay, timeout, softTimeout, onError, reads, writes, retry, breaker in
        var policy = TierPolicy()
        policy.ttl = ttl
        policy.jitter = jitter
        policy.debounce = debounce
        policy.maxDelay = maxDelay
        policy.timeout = timeout
        policy.softTimeout = softTimeout
        policy.onError = onError
        policy.reads = reads
        policy.writes = writes
        policy.retry = retry
        policy.circuitBreaker = breaker
        return (source, policy)
    }

    public static var fieldType: FieldType { .either([.string, .object(fields.declarations)]) }

    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TierConfig? {
        decoder.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                decoder.fieldName = "tiers"
                return decoder.text(of: node, expecting: "the name of a source or a mapping with `source`").map {
                    TierConfig(source: $0, range: node.range, policy: TierPolicy(), fieldRanges: [:])
                }
            }
            let ranges = Dictionary(members.map { ($0.key, $0.keyRange) }) { first, _ in first }
            let owner = FieldOwner(description: "a tier", range: node.range)
            guard let (source, policy) = fields.decode(members, of: owner, with: decoder) else { return nil }
            let range = members.last { $0.key == "source" }?.value.range ?? node.range
            return TierConfig(source: source, range: range, policy: policy, fieldRanges: ranges)
        }
    }

    public var written: String? { source }
}
