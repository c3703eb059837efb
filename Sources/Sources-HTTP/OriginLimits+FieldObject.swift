import Pipeline
public import PipelineConfig
public import PipelineNetwork

extension OriginLimits: FieldObject {
    /// `limits of an origin`
    public static var noun: String { "the limits of an origin" }

    /// `concurrency`, `queue`, `rate`, `burst` and `rest`.
    public static let fields = FieldGroup(
        Field(
            "concurrency", default: OriginLimits.Concurrency.auto(), range: FixedRange(),
            "How many requests run at once: a number, or `auto`, which starts at 6 and adapts to measured response times. `{ begin: 6, max: 64 }` is `auto` within bounds.",
            example: "4"),
        Field(
            "queue", default: OriginLimits().queue, range: 0...1_000_000,
            "How many requests may wait. When the queue is full, the newest request of the lowest priority fails."),
        Field("rate", default: RequestRate?.none, "The average rate at which requests may begin.", example: "50/s"),
        Field("burst", default: Int?.none, range: 1...1_000_000, "How many requests may begin at once after a pause; 1 unless given.")
            .needing("rate", "without a rate, any number may"),
        Field(
            "rest", default: OriginLimits.Rest.source,
            "Who is not asked for a while after 429 and 503: the `source` that got them, with the credentials that it sent, the whole `origin`, or `none`."
        )
    ) { concurrency, queue, rate, burst, rest in
        OriginLimits(concurrency: concurrency, queue: queue, rate: rate?.perSecond, burst: burst ?? 1, rest: rest)
    }

    /// `at most 6 requests at once at first (the limit adapts)`
    public var explanation: String? {
        let once =
            switch concurrency {
            case .fixed(let number): "at most \(Self.requests(number)) at once"
            case .auto(let begin, let max):
                "at most \(Self.requests(begin)) at once at first (the limit adapts\(max < 256 ? ", up to \(max)" : ""))"
            }
        let pace = rate.flatMap { RequestRate(perSecond: $0).written }.map { ", and no more often than \($0)" } ?? ""
        let rests =
            switch rest {
            case .source: ""
            case .origin: "; after 429 and 503 the whole origin rests"
            case .none: "; nothing rests after 429 and 503"
            }
        return once + pace + (queue == 0 ? "; none waits" : "; up to \(queue) wait") + rests
    }

    private static func requests(_ count: Int) -> String { count == 1 ? "1 request" : "\(count) requests" }

    /// `{ concurrency: auto, queue: 1000 }`
    public var written: String? {
        let pace = rate.map { ", rate: \(RequestRate(perSecond: $0).written ?? ""), burst: \(burst)" } ?? ""
        return "{ concurrency: \(concurrency.written ?? ""), queue: \(queue)\(pace), rest: \(rest.rawValue) }"
    }
}

extension OriginLimits.Rest: FieldChoice {}

extension OriginLimits.Concurrency: FieldValue {
    private static let word = "auto"

    /// A number, `auto`, or a mapping.
    public static var fieldType: FieldType { .either([.int, .choice([word]), AutomaticBounds.fieldType]) }

    /// What ``fieldType`` says.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> OriginLimits.Concurrency? {
        if isMapping(node) { return AutomaticBounds.decode(node, with: decoder).map { .auto(begin: min($0.begin, $0.max), max: $0.max) } }
        guard let text = decoder.text(of: node, expecting: "a number of requests, or `\(word)`") else { return nil }
        if text == word { return .auto() }
        if NearestName.find(text, among: [word]) != nil {
            decoder.report(
                .wrongType, "expected a number of requests, or `\(word)`, for `\(decoder.fieldName)`, found `\(text.prefix(60))`", at: node,
                help: "did you mean `\(word)`?")
            return nil
        }
        return Int.decode(node, with: decoder).map { .fixed($0) }
    }

    private static func isMapping(_ node: ConfigNode) -> Bool {
        switch node.content {
        case .mapping: true
        case .alias(let target): isMapping(target)
        default: false
        }
    }

    /// The number, `auto`, or the mapping.
    public var written: String? {
        switch self {
        case .fixed(let number): "\(number)"
        case .auto(6, 256): Self.word
        case .auto(let begin, let max): "{ begin: \(begin), max: \(max) }"
        }
    }
}

/// What a fixed number may be. The bounds of `auto` have ranges of their own.
private struct FixedRange: FieldRange {
    private static let numbers = 1...256

    var bounds: FieldBounds { Self.numbers.bounds }

    func contains(_ value: OriginLimits.Concurrency) -> Bool {
        if case .fixed(let number) = value { Self.numbers.contains(number) } else { true }
    }
}

/// `{ begin: 6, max: 64 }`
private struct AutomaticBounds: FieldObject {
    static let noun = "bounds of a concurrency"
    static let fields = FieldGroup(
        Field("begin", default: defaultBegin, range: 1...256, "How many requests run at once before anything is measured."),
        Field("max", default: 256, range: 1...256, "The most requests that run at once.")
    ) { begin, max in
        AutomaticBounds(begin: begin, max: max)
    }

    let begin: Int
    let max: Int

    /// A beginning above the end is a contradiction. That of the default gives way, also where `pipe-run config` has written it out.
    static func check(_ value: AutomaticBounds, _ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        guard value.begin > value.max, value.begin != defaultBegin, let begin = members.last(where: { $0.key == "begin" }) else { return }
        decoder.report(
            .outOfRange, "`\(value.begin)` is out of range for `begin`: it is more than `max`, which is \(value.max)", at: begin.value,
            help: "write `begin: \(value.max)`, or make `max` greater")
    }

    private static let defaultBegin = 6
}
