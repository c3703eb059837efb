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
    private static let hash = KeyHash(key: (.random(in: .min ... .max), .random(in: .min ... .max)))

    /// The target of the id whose bytes stand at `range` of `payload`; nil for one that is new.
    func target(of range: Range<Int>, in payload: [UInt8]) -> Int? {
        if slots.isEmpty { return nil }
        return payload.withUnsafeBufferPointer { bytes in
            let id = UnsafeBufferPointer(rebasing: bytes[range])
            let hash = Self.hash.hash(of: UnsafeRawBufferPointer(id))
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
        let hash = payload.withUnsafeBytes { Self.hash.hash(of: UnsafeRawBufferPointer(rebasing: $0[range])) }
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
