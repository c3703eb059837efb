internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON

/// The bounds of fields as the members of a schema.
enum SchemaBounds {
    typealias Members = [(String, JSONText)]

    static func integer(_ bounds: FieldBounds?) -> Members {
        if let bounds, let only = bounds.lower, only == bounds.upper { return [("const", .number(only))] }
        return number("integer", lower: bounds?.lower, upper: bounds?.upper, areExcluded: bounds?.areExcluded ?? false)
    }

    /// A number of bytes; a size is never negative.
    static func bytes(_ bounds: FieldBounds?) -> Members {
        func bytes(_ text: String?) -> String? { text.flatMap { try? Quantity.size($0) }.map { "\($0.bytes)" } }
        return number("integer", lower: bytes(bounds?.lower) ?? "0", upper: bytes(bounds?.upper), areExcluded: bounds?.areExcluded ?? false)
    }

    static func ratio(_ bounds: FieldBounds?) -> Members {
        number("number", lower: bounds?.lower, upper: bounds?.upper, areExcluded: bounds?.areExcluded ?? false)
    }

    /// Whether a duration or a size of nothing is out of bounds. More of their bounds than that a pattern does not tell.
    static func excludesZero(_ bounds: FieldBounds?, of type: FieldType) -> Bool {
        guard let bounds, let lower = bounds.lower else { return false }
        let isZero = type == .size ? (try? Quantity.size(lower))?.bytes == 0 : (try? Quantity.duration(lower)) == .zero
        return bounds.areExcluded || !isZero
    }

    private static func number(_ type: String, lower: String?, upper: String?, areExcluded: Bool) -> Members {
        var members: Members = [("type", .string(type))]
        if let lower { members.append((areExcluded ? "exclusiveMinimum" : "minimum", .number(lower))) }
        if let upper { members.append((areExcluded ? "exclusiveMaximum" : "maximum", .number(upper))) }
        return members
    }
}
