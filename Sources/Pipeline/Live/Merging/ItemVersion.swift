package import PipelineJSON

/// The version of an item: a number by its exact decimal value, or a string by its UTF-8 bytes.
package enum ItemVersion: Sendable {
    case number(JSONNumber)
    case text(String)

    /// The version that `scalar` is; nil for null, true and false.
    init?(_ scalar: JSONScalar) {
        switch scalar {
        case .number(let number): self = .number(number)
        case .string(let text): self = .text(text)
        case .null, .bool: return nil
        }
    }

    /// Whether this is a later version; nil where two cannot be compared, because one is missing or they are of different kinds.
    func isLater(than other: ItemVersion?) -> Bool? {
        switch (self, other) {
        case (.number(let own), .number(let other)): other < own
        case (.text(let own), .text(let other)): other.utf8.lexicographicallyPrecedes(own.utf8)
        default: nil
        }
    }
}
