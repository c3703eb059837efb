public import Pipeline
public import PipelineLive

extension PayloadFormat: FieldChoice {}
extension ErrorPolicy: FieldChoice {}
extension NotFoundPolicy: FieldChoice {}
extension FetchPolicy: FieldChoice {}
extension BatchAnswer.Missing: FieldChoice {}

/// A priority as it is written, the most important first.
package enum PriorityWord: String, FieldChoice {
    case high
    case normal
    case low
    case background

    package init(_ priority: Priority) {
        self =
            switch priority {
            case .high: .high
            case .normal: .normal
            case .low: .low
            case .background: .background
            }
    }

    /// The priority that it stands for.
    package var priority: Priority {
        switch self {
        case .high: .high
        case .normal: .normal
        case .low: .low
        case .background: .background
        }
    }
}

extension CircuitBreakerPolicy: FieldObject {
    /// `a circuit breaker`
    public static var noun: String { "a circuit breaker" }

    /// `failures` and `open_for`.
    public static let fields = FieldGroup(
        Field(
            "failures", default: 5, range: 0...,
            "How many failures in a row open the circuit; 0 keeps it closed. HTTP statuses from 400 to 499 do not count, except 408 and 429."
        ),
        Field("open_for", default: Duration.seconds(30), "How long the source is skipped before one request is let through.")
    ) { failures, openFor in
        CircuitBreakerPolicy(failures: failures, openFor: openFor)
    }
}

extension ReconnectPolicy: FieldObject {
    /// `a reconnect policy`
    public static var noun: String { "a reconnect policy" }

    /// `base` and `max`.
    public static let fields = FieldGroup(
        Field(
            "base", default: Duration.seconds(1), range: Duration.milliseconds(100)...,
            "The longest first pause. It doubles with each further failure."),
        Field("max", default: Duration.seconds(30), range: Duration.milliseconds(100)..., "The longest pause.")
    ) { base, max in
        ReconnectPolicy(base: base, max: max)
    }

    /// A first pause above the longest one is a contradiction. That of the default gives way, also where `pipe-run config` has written it out.
    public static func check(_ value: ReconnectPolicy, _ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        if value.base != ReconnectPolicy().base { decoder.checkPauses(value.base, value.max, in: members) }
    }

    /// `{ base: 1s, max: 30s }`
    public var written: String? { "{ base: \(base.spelling), max: \(max.spelling) }" }
}

extension FieldDecoder {
    /// Reports a first pause `base` above the longest one, where the mapping of `members` gives it.
    func checkPauses(_ base: Duration, _ most: Duration, in members: [ConfigNode.Member]) {
        guard base > most, let member = members.last(where: { $0.key == "base" }) else { return }
        let isMostGiven = members.contains { $0.key == "max" }
        fieldName = "base"
        places.withValue(of: member) { node in
            report(
                .outOfRange,
                "\(quoted(node)) is out of range for `base`: the first pause is longer than `max`, "
                    + "\(isMostGiven ? "which is" : "by default") \(most.spelling)",
                at: node, help: "make `base` shorter than \(most.spelling), or `max` longer")
        }
    }
}

extension RetryPolicy: FieldObject {
    /// `a retry policy`
    public static var noun: String { "a retry policy" }

    /// `attempts`, `base` and `max`.
    public static let fields = FieldGroup(
        Field("attempts", default: 3, range: 1...100, "The number of attempts, including the first."),
        Field(
            "base", default: Duration.seconds(1),
            "The longest wait before the second attempt; each wait is random. It doubles with each further attempt, up to `max`. After the statuses 429 and 503 it counts as at least 1 s."
        ),
        Field("max", default: Duration.seconds(30), "The longest random wait. A server that asks for a longer one (`Retry-After`) gets it.")
    ) { attempts, base, max in
        RetryPolicy(attempts: attempts, base: base, max: max)
    }
}

extension SharedFlight: FieldObject {
    /// `a shared flight`
    public static var noun: String { "a shared flight" }

    /// `lease`.
    public static let fields = FieldGroup(
        Field(
            "lease", default: Duration.seconds(5), range: Duration.milliseconds(1)...,
            "How long after the loading process has died another process takes over. A running process renews its lease, however long "
                + "the load takes. Use the same value in all processes.")
    ) { lease in
        SharedFlight(lease: lease)
    }
}

/// A value of `shared_flight`: `true`, `false`, or a mapping that says how.
public struct SharedFlightChoice: Sendable, Hashable {
    /// The way in which loads are shared; nil if they are not.
    public let flight: SharedFlight?

    /// The choice of `flight`.
    public init(_ flight: SharedFlight?) {
        self.flight = flight
    }
}

extension SharedFlightChoice: FieldValue {
    /// A bool, or the mapping.
    public static var fieldType: FieldType { .either([.bool, SharedFlight.fieldType]) }

    /// A mapping is read as such; everything else as a bool.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SharedFlightChoice? {
        let isMapping = decoder.places.withTarget(of: node) { if case .mapping = $0.content { true } else { false } }
        if isMapping { return SharedFlight.decode(node, with: decoder).map { SharedFlightChoice($0) } }
        return Bool.decode(node, with: decoder).map { SharedFlightChoice($0 ? SharedFlight() : nil) }
    }

    /// `true` or `false`; nil for a mapping, which is not written on one line.
    public var written: String? {
        switch flight {
        case nil: "false"
        case SharedFlight(): "true"
        default: nil
        }
    }
}

/// A value of `ttl`: the time for which a copy stays fresh in one cache.
///
/// Closed: there is a limit, or there is none.
public enum TimeToLive: Sendable, Hashable {
    /// As long as the entry it was made from.
    case none
    /// At most this long.
    case limited(Duration)

    /// The limit, or nil without one.
    package var limit: Duration? {
        if case .limited(let duration) = self { duration } else { nil }
    }
}

extension TimeToLive: FieldValue {
    /// A duration, or `none`.
    public static var fieldType: FieldType { .either([.duration, .choice(["none"])]) }

    /// A duration, or `none`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TimeToLive? {
        decode(node, with: decoder, forNone: "copies that never expire")
    }

    /// - Parameter purpose: what `none` is written for.
    static func decode(_ node: ConfigNode, with decoder: FieldDecoder, forNone purpose: String) -> TimeToLive? {
        let word = decoder.places.withTarget(of: node) { if case .scalar(let scalar) = $0.content { scalar.text } else { "" } }
        if word == "none" { return TimeToLive.none }
        if endless.contains(word.lowercased()) {
            decoder.report(
                .malformed, "malformed value `\(word)` for `\(decoder.fieldName)`: expected a duration, as `30s` or `10m`, or `none`",
                at: node,
                help: "write `\(decoder.fieldName): none` for \(purpose)")
            return nil
        }
        return Duration.decode(node, with: decoder).map(TimeToLive.limited)
    }

    /// What others write for `none`.
    static let endless: Set<String> = [
        "forever", "never", "infinite", "infinity", "inf", ".inf", "unlimited", "eternal", "always", "off", "false", "-1",
    ]

    /// The duration, or `none`.
    public var written: String? { limit.map { $0.written } ?? "none" }
}
