/// The targets of ids that stand in one value, found by the bytes of an id in their place: no text is made of one that is known.
struct KnownIDs {
    private struct Slot {
        let hash: UInt64
        /// Where the id stands first.
        let range: Range<Int>
        let target: Int
    }

    /// Where an id could be, and those after it, up to the first that is free: at least half are. None before there is an id.
    private var slots: [Slot?] = []
    private var count = 0

    /// Random, so that no peer can choose ids whose hashes end alike.
    private static let secret: (UInt64, UInt64) = (.random(in: .min ... .max), .random(in: .min ... .max) | 1)
    private static let hash = KeyHash(key: secret)

    /// The hash of an id; of one of at most eight bytes in the manner of multiply-shift (Dietzfelbinger and others, "A reliable randomized
    /// algorithm for the closest-pair problem", 1997), a third of the cost.
    @inline(__always)
    private static func hash(of id: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard id.count <= 8 else { return hash.hash(of: UnsafeRawBufferPointer(id)) }
        var word = UInt64(id.count)
        for byte in id { word = word << 8 | UInt64(byte) }
        let mixed = (word ^ secret.0) &* secret.1
        return ((mixed ^ mixed >> 32) &* secret.1) >> 24
    }

    /// The target of the id whose bytes stand at `range` of `payload`; nil for one that is new.
    func target(of range: Range<Int>, in payload: [UInt8]) -> Int? {
        if slots.isEmpty { return nil }
        return payload.withUnsafeBufferPointer { bytes in
            let id = UnsafeBufferPointer(rebasing: bytes[range])
            let hash = Self.hash(of: id)
            var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
            while let slot = slots[place] {
                if slot.hash == hash, UnsafeBufferPointer(rebasing: bytes[slot.range]).hasSameBytes(as: id) { return slot.target }
                place = (place + 1) & (slots.count - 1)
            }
            return nil
        }
    }

    /// Notes the target of the id whose bytes stand at `range` of `payload`, which is new.
    mutating func add(_ target: Int, of range: Range<Int>, in payload: [UInt8]) {
        let hash = payload.withUnsafeBufferPointer { Self.hash(of: UnsafeBufferPointer(rebasing: $0[range])) }
        if count >= slots.count / 2 {
            let known = slots
            slots = Array(repeating: nil, count: max(8, 2 * known.count))
            for slot in known { if let slot { put(slot) } }
        }
        put(Slot(hash: hash, range: range, target: target))
        count += 1
    }

    private mutating func put(_ slot: Slot) {
        var place = Int(truncatingIfNeeded: slot.hash) & (slots.count - 1)
        while slots[place] != nil { place = (place + 1) & (slots.count - 1) }
        slots[place] = slot
    }
}
