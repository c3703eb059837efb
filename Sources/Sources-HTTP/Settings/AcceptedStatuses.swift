public import PipelineConfig

/// The statuses whose answers are values.
public struct AcceptedStatuses: Sendable, Hashable {
    /// The statuses that are listed; at least one.
    public let patterns: [StatusPattern]

    /// Every status of success, as far as its answer is all of the value.
    public static let success = AcceptedStatuses([.success])

    /// The statuses of `patterns`.
    public init(_ patterns: [StatusPattern]) {
        self.patterns = patterns
    }

    /// Indicates whether one pattern is exactly `status`: only that overrides what the status means otherwise.
    func lists(_ status: Int) -> Bool {
        patterns.contains { $0.statuses == status...status }
    }

    /// Indicates whether the answer with `status` is the value. A class or a range never means a part of the value, or no value at all.
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

/// Statuses whose answers are values: one status `200`, a class `2xx`, or a range `200-299`.
public struct StatusPattern: Sendable, Hashable {
    /// The statuses it stands for.
    public let statuses: ClosedRange<Int>

    /// The statuses of success.
    public static let success = StatusPattern(200...299)

    /// The final statuses of HTTP (RFC 9110, section 15).
    static let possible = 200...599

    /// The pattern for `statuses`.
    public init(_ statuses: ClosedRange<Int>) {
        self.statuses = statuses
    }

    /// The reason why a text is no pattern.
    enum Problem: Error, Equatable {
        case malformed
        case outOfRange
        case reversed
    }

    /// Reads `200`, `2xx` or `200-299`.
    static func parse(_ text: String) throws(Problem) -> StatusPattern {
        let bytes = Array(text.utf8)
        if bytes.count == 3, let digit = Int(String(decoding: bytes[..<1], as: UTF8.self)), "xx" == text.lowercased().dropFirst() {
            return try inBounds(digit * 100, digit * 100 + 99)
        }
        let ends = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = ends.first.flatMap(number), let last = ends.last.flatMap(number), ends.count <= 2 else { throw .malformed }
        return try inBounds(first, last)
    }

    private static func inBounds(_ first: Int, _ last: Int) throws(Problem) -> StatusPattern {
        guard possible.contains(first), possible.contains(last) else { throw .outOfRange }
        guard first <= last else { throw .reversed }
        return StatusPattern(first...last)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count == 3, bytes.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return Int(String(decoding: bytes, as: UTF8.self))
    }
}

extension StatusPattern: FieldValue {
    /// A word.
    public static var fieldType: FieldType {
        .word(
            FieldWord("status", matching: "^[2-5](?:[0-9]{2}(?:-[2-5][0-9]{2})?|[xX]{2})$", numbers: possible))
    }

    /// The pattern written in `node`.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> StatusPattern? {
        guard let text = decoder.text(of: node, expecting: "a status, as `200`, `2xx` or `200-299`") else { return nil }
        do {
            return try parse(text)
        } catch {
            let (quoted, field) = ("`\(text.prefix(60))`", "`\(decoder.fieldName)`")
            switch error {
            case .malformed:
                let message = "malformed status \(quoted) for \(field): expected one as `200`, `2xx` or `200-299`"
                decoder.report(.malformed, message, at: node)
            case .outOfRange:
                decoder.report(.outOfRange, "\(quoted) is out of range for \(field): expected statuses from 200 to 599", at: node)
            case .reversed:
                let ends = text.split(separator: "-").reversed().joined(separator: "-")
                let message = "\(quoted) is out of range for \(field): it ends before it begins"
                decoder.report(.outOfRange, message, at: node, help: "write `\(ends)`")
            }
            return nil
        }
    }

    /// The pattern in its shortest form.
    public var written: String? {
        let (first, last) = (statuses.lowerBound, statuses.upperBound)
        if first == last { return "\(first)" }
        return first % 100 == 0 && last == first + 99 ? "\(first / 100)xx" : "\(first)-\(last)"
    }
}
