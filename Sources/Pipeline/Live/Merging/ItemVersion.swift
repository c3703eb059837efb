package import PipelineJSON

/// The version of an item: a number by its exact decimal value, or a string by its UTF-8 bytes.
package enum ItemVersion: Sendable {
    case number(JSONNumber)
    case text(String)

    /// The most bytes of a version that a message has.
    static let mostBytes = 4_096

    /// The version that `scalar` is; nil for null, true and false.
    init?(_ scalar: JSONScalar) {
        switch scalar {
        case .number(let number): self = .number(number)
        case .string(let text): self = .text(text)
        case .null, .bool: return nil
        }
    }

    /// About how much memory it takes.
    var size: Int {
        switch self {
        case .number(let number): number.size
        case .text(let text): text.utf8.count
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
