public import PipelineConfig

/// The statuses whose answers are values.
public struct AcceptedStatuses: Sendable, Hashable {
    /// What is listed; at least one.
    public let patterns: [StatusPattern]

    /// Every status of success, as far as its answer is the whole value.
    public static let success = AcceptedStatuses([.success])

    /// The statuses of `patterns`.
    public init(_ patterns: [StatusPattern]) {
        self.patterns = patterns
    }

    /// Whether one pattern is exactly `status`: only that overrides what the status means otherwise.
    func lists(_ status: Int) -> Bool {
        patterns.contains { $0.statuses == status...status }
    }

    /// Whether the answer with `status` is the value. A class or a range never means a part of the value, or no value at all.
    func accepts(_ status: Int) -> Bool {
        lists(status) || ![206, 304, 404, 410].contains(status) && patterns.contains { $0.statuses.contains(status) }
    }
}

extension AcceptedStatuses: FieldValue {
    /// A list of words.
    public static var fieldType: FieldType { .list(StatusPattern.fieldType, atLeast: 1) }

    /// The patterns listed in `node`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> AcceptedStatuses? {
        guard let patterns = [StatusPattern].decode(node, with: decoder) else { return nil }
        if patterns.isEmpty, isEmptyList(node) {
            decoder.report(.outOfRange, "an empty list for `\(decoder.fieldName)`: expected at least one status", at: node)
        }
        return patterns.isEmpty ? nil : AcceptedStatuses(patterns)
    }

    private static func isEmptyList(_ node: ConfigNode) -> Bool {
        switch node.content {
        case .sequence(let elements): elements.isEmpty
        case .alias(let target): isEmptyList(target)
        default: false
        }
    }

    /// The list.
    public var written: String? { patterns.written }
}
