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
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        decoder.report(
            .malformed, "malformed rate `\(text.prefix(60))` for `\(decoder.fieldName)`: expected one as `50/s` or `600/m`", at: node,
            help: isNumber ? "write `\(text)/s` for so many in a second" : nil)
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
