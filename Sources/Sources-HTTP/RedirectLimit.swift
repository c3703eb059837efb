public import Pipeline

/// How many redirects are followed for one read.
public struct RedirectLimit: Sendable, Hashable, Comparable {
    /// The most redirects; 0 follows none.
    public let count: Int

    /// What `true` stands for.
    public static let standard = RedirectLimit(5)

    /// At most `count` redirects.
    public init(_ count: Int) {
        self.count = count
    }

    /// Whether `left` follows fewer redirects.
    public static func < (left: RedirectLimit, right: RedirectLimit) -> Bool { left.count < right.count }
}

extension RedirectLimit: FieldValue {
    /// A number, or a bool.
    public static var fieldType: FieldType { .either([.int, .bool]) }

    /// The number written in `node`; `true` is ``standard``, `false` 0.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> RedirectLimit? {
        guard let text = decoder.text(of: node, expecting: "a number of redirects, `true` or `false`") else { return nil }
        guard let first = text.utf8.first else {
            decoder.report(.wrongType, "expected a number of redirects, `true` or `false` for `\(decoder.fieldName)`, found ``", at: node)
            return nil
        }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"):
            return Int.decode(node, with: decoder).map(RedirectLimit.init)
        default:
            return Bool.decode(node, with: decoder).map { $0 ? .standard : RedirectLimit(0) }
        }
    }

    /// The number.
    public var written: String? { "\(count)" }
}
