internal import Pipeline
internal import PipelineConfig

/// A field and the values that it has in turn: `memory.ttl=10s,1m,10m`, `memory.max_entries=1000..1000000×2`.
package struct Variation: Sendable, Equatable {
    package let field: String
    package let values: [String]

    /// More variants than this are no comparison any more.
    package static let mostValues = 1_000

    /// The variation that `text` says; nil when it is none.
    package init?(_ text: String) {
        guard let equal = text.firstIndex(of: "="), equal > text.startIndex else { return nil }
        field = String(text[..<equal])
        let list = text[text.index(after: equal)...]
        if let range = Self.range(String(list)) {
            values = range
        } else {
            values = list.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        }
        guard !values.contains(""), !values.contains(where: { $0.contains("..") }), values.count <= Self.mostValues else { return nil }
    }

    /// `value` as a place on the curve over sizes: a number of entries, or of bytes; nil where the field is no size of a cache.
    package func size(of value: String) -> Int? {
        if field.hasSuffix(".max_entries") { return Int(value) }
        return field.hasSuffix(".max_bytes") ? (try? Quantity.size(value))?.bytes : nil
    }

    /// `1000..1000000×2`: each value is the one before times a factor of more than 1.
    private static func range(_ text: String) -> [String]? {
        let sides = text.replacing("×", with: "x").replacing("..", with: "x").split(separator: "x", omittingEmptySubsequences: false)
        guard text.contains(".."), sides.count == 3, let first = Int(sides[0]), let last = Int(sides[1]), let factor = Double(sides[2]),
            first > 0, last >= first, last <= 1 << 53, factor >= 1.01, factor < 1e6
        else { return nil }
        var values: [Int] = []
        var value = Double(first)
        while value <= Double(last) {
            let whole = Int(value.rounded())
            if values.last != whole { values.append(whole) }
            value *= factor
        }
        return values.map(String.init)
    }
}
