package import PipelineConfig

/// What a source costs: `0.002/call + 0.09/GB`, in any currency.
package struct SourceCost: Sendable, Equatable {
    package var perCall = 0.0
    /// For 1,000,000,000 bytes that it sends.
    package var perGigabyte = 0.0

    /// The cost that `text` says; nil when it is none.
    package init?(_ text: String) {
        var seen: Set<String> = []
        for part in text.split(separator: "+", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "/", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            guard sides.count == 2, let value = Double(sides[0]), value >= 0, value.isFinite, seen.insert(sides[1]).inserted else {
                return nil
            }
            switch sides[1] {
            case "call": perCall = value
            case "GB": perGigabyte = value
            default: return nil
            }
        }
    }
}

extension SourceCost: FieldValue {
    package static var fieldType: FieldType { .string }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SourceCost? {
        guard let text = decoder.text(of: node, expecting: "a cost, as `0.002/call + 0.09/GB`") else { return nil }
        if let cost = SourceCost(text) { return cost }
        decoder.report(
            .malformed, "malformed cost for `\(decoder.fieldName)`: expected `0.002/call + 0.09/GB`, or one of the two", at: node)
        return nil
    }

    package var written: String? { nil }
}
