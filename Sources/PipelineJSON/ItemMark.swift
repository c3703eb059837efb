/// What an id is known by in a long list, which keeps no texts: 96 bits of a hash with a secret key. Two ids of a million share them with a
/// probability of 10⁻¹⁷, and nobody can look for two that do.
package struct ItemMark: Sendable, Hashable {
    package let tag: UInt32
    @usableFromInline let low: UInt32
    @usableFromInline let high: UInt32

    /// No id's.
    package static let none = ItemMark(tag: 0, word: 0)

    private init(tag: UInt32, word: UInt64) {
        self.tag = tag
        (low, high) = (UInt32(truncatingIfNeeded: word), UInt32(truncatingIfNeeded: word >> 32))
    }

    /// The mark of the id whose text has these bytes.
    package init(_ id: UnsafeRawBufferPointer) {
        var hasher = Hasher()
        hasher.combine(bytes: id)
        var other = Hasher()
        other.combine(UInt8(1))
        other.combine(bytes: id)
        self.init(tag: UInt32(truncatingIfNeeded: other.finalize()), word: UInt64(bitPattern: Int64(hasher.finalize())))
    }

    /// The mark of the id with this text.
    package init(_ text: String) {
        var text = text
        self = text.withUTF8 { ItemMark(UnsafeRawBufferPointer($0)) }
    }

    @inlinable
    package var word: UInt64 { UInt64(high) << 32 | UInt64(low) }

    @inlinable
    package static func == (left: ItemMark, right: ItemMark) -> Bool {
        left.tag == right.tag && left.low == right.low && left.high == right.high
    }

    @inlinable
    package func hash(into hasher: inout Hasher) { hasher.combine(word) }
}
