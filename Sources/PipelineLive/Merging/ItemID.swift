import Pipeline
package import PipelineJSON

/// The id of an element of a list, as text. Ids are equal when their UTF-8 bytes are; `7` and `"7"` are one id.
package struct ItemID: Sendable {
    /// The most bytes of an id that a message has.
    static let mostBytes = 65_536

    /// The text: a string's characters, a number's exact decimal value in digits.
    package let text: String
    // Computed once: a change is looked up several times.
    package let mark: ItemMark

    /// The id with this text.
    package init(_ text: String) {
        var text = text
        mark = text.withUTF8 { ItemMark(UnsafeRawBufferPointer($0)) }
        self.text = text
    }

    /// One id of several parts: with one part its text, else the parts divided by `/`, in which `~` and `/` are written as in a JSON Pointer.
    init(_ parts: [String]) {
        guard parts.count > 1 else {
            self.init(parts.first ?? "")
            return
        }
        self.init(String(JSONPointer(tokens: parts).description.dropFirst()))
    }
}

extension ItemID: Hashable {
    package static func == (left: ItemID, right: ItemID) -> Bool {
        left.mark == right.mark && left.text.hasSameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(mark.word) }
}

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
