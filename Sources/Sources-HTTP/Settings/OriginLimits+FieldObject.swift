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

    /// Decodes a value of ``fieldType``.
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

/// The range of a fixed number. The bounds of `auto` have ranges of their own.
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

    /// Reports a beginning above the end, which is a contradiction. The default's beginning gives way, also where `pipe-run config` has
    /// written it out.
    static func check(_ value: AutomaticBounds, _ members: [ConfigNode.Member], with decoder: FieldDecoder) {
        guard value.begin > value.max, value.begin != defaultBegin, let begin = members.last(where: { $0.key == "begin" }) else { return }
        decoder.report(
            .outOfRange, "`\(value.begin)` is out of range for `begin`: it is more than `max`, which is \(value.max)", at: begin.value,
            help: "write `begin: \(value.max)`, or make `max` greater")
    }

    private static let defaultBegin = 6
}

/// The number of requests that may begin in a time: `50/s`.
public struct RequestRate: Sendable, Hashable {
    /// The number of requests in a second, on average.
    public let perSecond: Double

    /// Makes a rate of so many requests in a second.
    public init(perSecond: Double) {
        self.perSecond = perSecond
    }

    private static let units: [(name: Character, seconds: Double)] = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)]

    private static func parse(_ text: String) -> RequestRate? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let digits = parts[0].filter { $0 != " " }
        guard parts.count == 2, let unit = units.first(where: { String($0.name) == parts[1].filter { $0 != " " } }), digits.count <= 9,
            !digits.isEmpty, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let count = Double(digits), count > 0
        else { return nil }
        return RequestRate(perSecond: count / unit.seconds)
    }
}

extension RequestRate: FieldValue {
    /// A word.
    public static var fieldType: FieldType { .word(FieldWord("rate", matching: "^ *0*[1-9][0-9]{0,8} */ *[smhd] *$")) }

    /// Reads an integer, a slash, and `s`, `m`, `h` or `d`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> RequestRate? {
        guard let text = decoder.text(of: node, expecting: "a rate, as `50/s` or `600/m`") else { return nil }
        if let rate = parse(text) { return rate }
        decoder.report(
            .malformed, "malformed rate `\(text.prefix(60))` for `\(decoder.fieldName)`: expected one as `50/s` or `600/m`", at: node,
            help: help(for: text, of: decoder.fieldName))
        return nil
    }

    /// The rate in the shortest time that gives an integer.
    public var written: String? {
        for unit in Self.units {
            let count = perSecond * unit.seconds
            if count >= 1, abs(count - count.rounded()) < 1e-6 * count { return "\(Int(count.rounded()))/\(unit.name)" }
        }
        return "\(perSecond)/s"
    }
}

extension RequestRate {
    private static let words: [(seconds: Double, words: Set<Substring>)] = [
        (0.001, ["ms"]), (1, ["s", "sec", "secs", "second", "seconds"]), (60, ["m", "min", "mins", "minute", "minutes"]),
        (3_600, ["h", "hr", "hrs", "hour", "hours"]), (86_400, ["d", "day", "days"]),
    ]

    /// The rate that was meant by `0.5/s`, `1/10s`, `50 per minute` or `50 rps`; nil if that is unclear.
    private static func help(for text: String, of field: String) -> String? {
        guard let (count, seconds) = amount(in: text) else { return nil }
        guard count > 0 else { return "leave `\(field)` out for no limit; the least rate is `1/d`" }
        guard let meant = RequestRate(perSecond: count / seconds).written, parse(meant) != nil else { return nil }
        return "write `\(meant)`" + (Int(text) == nil ? "" : " for so many in a second")
    }

    /// A number, and the seconds that it is for.
    private static func amount(in text: String) -> (count: Double, seconds: Double)? {
        guard text.utf8.count <= 40 else { return nil }
        var rest = text.lowercased().filter { !$0.isWhitespace }[...]
        let number = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        guard let count = Double(number) else { return nil }
        rest = rest.dropFirst(number.count)
        for (name, unit) in [("rps", "/s"), ("rpm", "/m"), ("rph", "/h")] where rest == name { rest = unit[...] }
        for word in ["requests", "request", "reqs", "req", "r"] where rest.hasPrefix(word) {
            rest = rest.dropFirst(word.count)
            break
        }
        if rest.isEmpty { return (count, 1) }
        guard let separator = ["/", "per"].first(where: { rest.hasPrefix($0) }) else { return nil }
        rest = rest.dropFirst(separator.count)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard let unit = words.first(where: { $0.words.contains(rest.dropFirst(digits.count)) }),
            let times = digits.isEmpty ? 1 : Double(digits), times > 0
        else { return nil }
        return (count, times * unit.seconds)
    }
}
