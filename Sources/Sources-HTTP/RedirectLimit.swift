public import PipelineConfig

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
        let expectation = "a number of redirects, `true` or `false`"
        guard let text = decoder.text(of: node, expecting: expectation) else { return nil }
        if ["true", "yes", "on", "false", "no", "off"].contains(text.lowercased()) {
            return Bool.decode(node, with: decoder).map { $0 ? .standard : RedirectLimit(0) }
        }
        if let first = text.utf8.first, "+-0123456789".utf8.contains(first) {
            return Int.decode(node, with: decoder).map(RedirectLimit.init)
        }
        decoder.report(.wrongType, "expected \(expectation) for `\(decoder.fieldName)`, found `\(text.prefix(60))`", at: node)
        return nil
    }

    /// The number.
    public var written: String? { "\(count)" }
}
