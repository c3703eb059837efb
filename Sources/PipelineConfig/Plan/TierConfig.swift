public import Pipeline

/// One tier as the file declares it. An object, since each rule looks at it and it is large.
public final class TierConfig: Sendable {
    /// The name of its source.
    public let source: String
    /// Where the source is named.
    public let range: TextRange
    /// The policy.
    public let policy: TierPolicy
    /// Where the source is named, with the aliases and merges on the way.
    let place: ConfigPlace
    /// Where the fields of the policy stand.
    let fieldPlaces: FieldPlaces
    /// Whether all of it could be read; else the policy has defaults where something else is written.
    let isSound: Bool

    private init(
        source: String, range: TextRange, policy: TierPolicy, place: ConfigPlace, fieldPlaces: FieldPlaces, isSound: Bool
    ) {
        self.source = source
        self.range = range
        self.policy = policy
        self.place = place
        self.fieldPlaces = fieldPlaces
        self.isSound = isSound
    }
}

extension TierConfig: FieldValue {
    static let fields = FieldGroup(
        Field<String>("source", "The name of the source, one of those under `sources:`.", example: "memory"),
        Field("ttl", default: TimeToLive.none, "How long a copy stays fresh here (caches).", example: "10m"),
        Field("jitter", default: Ratio(0), range: Ratio(0)...Ratio(1), "Shortens each ttl by a random part up to this.", example: "10%"),
        Field("debounce", default: Duration?.none, "The quiet time to wait for before writing (caches)."),
        Field("max_delay", default: Duration?.none, "The longest time a write waits; 10 × debounce unless given."),
        Field("timeout", default: Duration?.none, range: OpenRange(after: Duration.zero), "The time to answer; 30s unless given."),
        Field(
            "soft_timeout", default: Duration?.none, range: OpenRange(after: Duration.zero),
            "After it a copy within stale_if_error is served, and the load goes on."),
        Field("on_error", default: ErrorPolicy.next, "What a failure here means: ask the next tier, or fail."),
        Field(
            "on_not_found", default: NotFoundPolicy.stop,
            "What `not_found` means (origins): the answer, ask the next tier, or count it as a failure."),
        Field(
            "last_resort", default: Bool?.none,
            "Asked only when no stale copy may be served, and written back nowhere (origins); true for `inline` below another origin."),
        Field("read", default: true, "Whether the tier is asked."),
        Field("write", default: true, "Whether answers are written to it."),
        Field("retry", default: RetryPolicy?.none, "How a failed read is tried again."),
        Field("circuit_breaker", default: CircuitBreakerPolicy?.none, "When the source is left alone for a while.")
    ) { source, ttl, jitter, debounce, maxDelay, timeout, softTimeout, onError, onNotFound, lastResort, reads, writes, retry, breaker in
        var policy = TierPolicy()
        policy.ttl = ttl
        policy.jitter = jitter
        policy.debounce = debounce
        policy.maxDelay = maxDelay
        policy.timeout = timeout
        policy.softTimeout = softTimeout
        policy.onError = onError
        policy.onNotFound = onNotFound
        policy.lastResort = lastResort
        policy.reads = reads
        policy.writes = writes
        policy.retry = retry
        policy.circuitBreaker = breaker
        return (source, policy)
    }

    /// The name of a source, or a mapping with it.
    public static var fieldType: FieldType { .either([.string, .object(fields.declarations)]) }

    /// The tier written in `node`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TierConfig? {
        guard decoder.countPart(at: node.range) else { return nil }
        return decoder.withTarget(of: node) { node in
            guard case .mapping(let written) = node.content else {
                decoder.fieldName = "tiers"
                return decoder.text(of: node, expecting: "the name of a source or a mapping with `source`").map {
                    TierConfig(
                        source: $0, range: node.range, policy: TierPolicy(), place: decoder.place(of: node.range), fieldPlaces: .none,
                        isSound: true)
                }
            }
            let mark = decoder.mark
            let members = namedByKey(written, of: node, with: decoder) ?? written
            let places = FieldPlaces(members, with: decoder)
            let owner = FieldOwner(
                description: "a tier", range: node.range, place: .tier(source: members.last { $0.key == "source" }?.value.scalarText))
            guard let (source, policy) = fields.decode(members, of: owner, with: decoder) else { return nil }
            let member = members.last { $0.key == "source" }
            let place = member.map { decoder.withValue(of: $0) { decoder.place(of: $0.range) } } ?? decoder.place(of: node.range)
            return TierConfig(
                source: source, range: place.range, policy: policy, place: place, fieldPlaces: places,
                isSound: decoder.errors(since: mark) == 0)
        }
    }

    /// The name of its source.
    public var written: String? { source }
}
