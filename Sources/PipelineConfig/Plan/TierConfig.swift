package import Pipeline

/// One tier as the file declares it. An object, since each rule looks at it and it is large.
public final class TierConfig: Sendable {
    /// The name of its source.
    public let source: String
    /// Where the source is named.
    public let range: TextRange
    /// What the file says beside `source`: limits, retries and how long copies are fresh.
    package let policy: TierPolicy
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

extension TierConfig {
    /// The place of `composite` in an order that does not name it.
    convenience init(of composite: SourceConfig) {
        self.init(
            source: composite.name, range: composite.range, policy: TierPolicy(), place: composite.place, fieldPlaces: .none, isSound: true)
    }

    /// Whether it names the place of a composite, as far as its pipeline has one.
    var isComposite: Bool { source.utf8.elementsEqual(CompositeSpec.placeName.utf8) }
}

extension TierConfig: FieldValue {
    static let fields = FieldGroup(
        Field<String>("source", "The name of a source declared under `sources:`.", example: "memory"),
        Field("ttl", default: TimeToLive.none, "How long a copy stays fresh in this cache.", example: "10m"),
        Field(
            "jitter", default: Ratio(0), range: Ratio(0)...Ratio(1),
            "Shortens each ttl by a random part of up to this ratio, so that copies do not expire together.", example: "10%"),
        Field("debounce", default: Duration?.none, "How long a value must stay unchanged before it is written to this cache."),
        Field("max_delay", default: Duration?.none, "The longest time a debounced write waits; 10 × `debounce` by default."),
        Field(
            "timeout", default: Duration?.none, range: OpenRange(after: Duration.zero), "The longest time for an answer; 30s by default."),
        Field(
            "soft_timeout", default: Duration?.none, range: OpenRange(after: Duration.zero),
            "How long to wait for an answer before a copy within `stale_if_error` is served instead. The load continues."),
        Field("on_error", default: ErrorPolicy.next, "What to do when this tier fails: ask the next tier, or fail the fetch."),
        Field(
            "on_not_found", default: NotFoundPolicy.stop,
            "What to do when this origin answers `not_found`: stop with that answer, ask the next tier, or count it as a failure."),
        Field(
            "last_resort", default: Bool?.none,
            "Whether this origin is asked only when no stale copy can be served, and its answer is written to no cache. True by default for `inline` below another origin."
        ),
        Field("read", default: true, "Whether the tier is asked."),
        Field("write", default: true, "Whether answers are written to this cache."),
        Field("retry", default: RetryPolicy?.none, "How to retry a failed read."),
        Field("circuit_breaker", default: CircuitBreakerPolicy?.none, "When to stop asking a failing source for a while.")
    ) { source, ttl, jitter, debounce, maxDelay, timeout, softTimeout, onError, onNotFound, lastResort, reads, writes, retry, breaker in
        let policy = TierPolicy(
            ttl: ttl.limit, jitter: jitter.value, debounce: debounce, maxDelay: maxDelay, timeout: timeout, softTimeout: softTimeout,
            onError: onError, onNotFound: onNotFound, lastResort: lastResort, reads: reads, writes: writes, retry: retry,
            circuitBreaker: breaker)
        return (source, policy)
    }

    /// The names of the fields that it can have, besides its source.
    package static var policyNames: [String] { fields.declarations.map(\.name).filter { $0 != "source" } }

    /// The name of a source, or a mapping with it.
    public static var fieldType: FieldType { .either([.string, .object(fields.declarations)]) }

    /// The tier written in `node`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TierConfig? {
        guard decoder.countPart(at: node.range) else { return nil }
        return decoder.places.withTarget(of: node) { node in
            guard case .mapping(let written) = node.content else {
                decoder.fieldName = "tiers"
                return decoder.text(of: node, expecting: "the name of a source or a mapping with `source`").map {
                    TierConfig(
                        source: $0, range: node.range, policy: TierPolicy(), place: decoder.places.place(of: node.range),
                        fieldPlaces: .none,
                        isSound: true)
                }
            }
            let mark = decoder.problems.mark
            if let tier = reportMeant(written, of: node, with: decoder) { return tier.source }
            let members = decoder.members(naming: "a tier", written, of: node, known: fields.declarations.map(\.name)) ?? written
            let places = FieldPlaces(members, with: decoder)
            let owner = FieldOwner(
                description: "a tier", range: node.range, place: .tier(source: members.last { $0.key == "source" }?.value.scalarText))
            guard let (source, policy) = fields.decode(members, of: owner, with: decoder) else { return nil }
            let member = members.last { $0.key == "source" }
            let place =
                member.map { decoder.places.withValue(of: $0) { decoder.places.place(of: $0.range) } }
                ?? decoder.places.place(of: node.range)
            return TierConfig(
                source: source, range: place.range, policy: policy, place: place, fieldPlaces: places,
                isSound: decoder.problems.errors(since: mark) == 0)
        }
    }

    /// Reports a source that is declared among the tiers, and `memory ttl: 30s`; nil for any other mapping.
    private static func reportMeant(_ members: [ConfigNode.Member], of node: ConfigNode, with decoder: FieldDecoder) -> (
        source: TierConfig?, Void
    )? {
        guard !members.contains(where: { $0.key == "source" }), let first = members.first else { return nil }
        if let type = members.first(where: { $0.key == "type" })?.value.target.scalarText,
            decoder.plugins.contains(where: { $0.name == type })
        {
            decoder.report(
                .unknownField, "a source is declared among the tiers: a tier names one", at: node,
                help: "move it to `sources`, as in `sources: { NAME: { type: \(type), … } }`, and write `NAME` here")
            return (nil, ())
        }
        guard let meant = MeantTier(first.key, sources: decoder.knownSources.map(\.name), isKey: true) else { return nil }
        let value = decoder.secrets.holds(first.value.range) ? nil : first.value.onOneLine
        decoder.report(
            .unknownField, "unknown field `\(first.key.shortened)` in a tier", at: decoder.places.place(ofKeyOf: first),
            help: "write `\(meant.written(lastValue: value ?? "…"))`")
        return (
            TierConfig(
                source: meant.source, range: node.range, policy: TierPolicy(), place: decoder.places.place(of: node.range),
                fieldPlaces: .none,
                isSound: false), ()
        )
    }

    /// The name of its source.
    public var written: String? { source }
}
