/// The id of an element of a list, as text. Ids are equal when their UTF-8 bytes are; `7` and `"7"` are one id.
package struct ItemID: Sendable {
    /// The most bytes of an id that a message has.
    static let mostBytes = 65_536

    /// The text: a string's characters, a number's exact decimal value in digits.
    package let text: String
    // Computed once: a change is looked up several times.
    let mark: ItemMark

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
        self.init(parts.map(Self.escaped).joined(separator: "/"))
    }

    private static func escaped(_ part: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in part.unicodeScalars {
            switch scalar {
            case "~": text.append(contentsOf: "~0".unicodeScalars)
            case "/": text.append(contentsOf: "~1".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}

extension ItemID: Hashable {
    package static func == (left: ItemID, right: ItemID) -> Bool {
        left.mark == right.mark && left.text.hasSameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(mark.word) }
}

/// What an id is known by in a long list, which keeps no texts: 96 bits of a hash with a secret key. Two ids of a million share them with a
/// probability of 10⁻¹⁷, and nobody can look for two that do.
struct ItemMark: Sendable, Hashable {
    let tag: UInt32
    private let low: UInt32
    private let high: UInt32

    /// No id's.
    static let none = ItemMark(tag: 0, word: 0)

    private init(tag: UInt32, word: UInt64) {
        self.tag = tag
        (low, high) = (UInt32(truncatingIfNeeded: word), UInt32(truncatingIfNeeded: word >> 32))
    }

    /// The mark of the id whose text has these bytes.
    init(_ id: UnsafeRawBufferPointer) {
        var hasher = Hasher()
        hasher.combine(bytes: id)
        var other = Hasher()
        other.combine(UInt8(1))
        other.combine(bytes: id)
        self.init(tag: UInt32(truncatingIfNeeded: other.finalize()), word: UInt64(bitPattern: Int64(hasher.finalize())))
    }

    var word: UInt64 { UInt64(high) << 32 | UInt64(low) }
}
