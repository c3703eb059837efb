public import PipelineConfig

/// How many requests may begin in a time: `50/s`.
public struct RequestRate: Sendable, Hashable {
    /// On average.
    public let perSecond: Double

    /// So many in a second.
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

    /// A whole number, a slash, and `s`, `m`, `h` or `d`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> RequestRate? {
        guard let text = decoder.text(of: node, expecting: "a rate, as `50/s` or `600/m`") else { return nil }
        if let rate = parse(text) { return rate }
        decoder.report(
            .malformed, "malformed rate `\(text.prefix(60))` for `\(decoder.fieldName)`: expected one as `50/s` or `600/m`", at: node,
            help: help(for: text, of: decoder.fieldName))
        return nil
    }

    /// In the shortest time that gives a whole number.
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

    /// The rate that was meant by `0.5/s`, `1/10s`, `50 per minute` or `50 rps`; nil when that is unclear.
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
