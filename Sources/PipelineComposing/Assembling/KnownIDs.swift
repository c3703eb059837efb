import Pipeline
import PipelineLive
internal import PipelineJSON

/// The targets of ids that stand in one value, found by the bytes of an id in their place: no text is made of one that is known.
struct KnownIDs {
    private struct ID {
        let hash: UInt64
        /// Where it stands first.
        let range: Range<Int>
        let target: Int
    }

    private var ids: [ID] = []
    /// The number of an id where it could be, and of those after it, up to the first that is free: at least half are. Small, since every
    /// reference looks. None before there is an id.
    private var slots: [Int32] = []
    private static let free: Int32 = -1

    /// Random, so that no peer can choose ids whose hashes end alike.
    private static let keys: (UInt64, UInt64) = (.random(in: .min ... .max), .random(in: .min ... .max) | 1)
    // Copied, because each use of a lazy global checks whether it is made.
    private let secret = Self.keys
    private let longHash = KeyHash(key: Self.keys)

    /// The most bytes of an id whose hash says which one it is, together with their number.
    private static let short = 8

    /// The hash of an id; of a short one in the manner of multiply-shift (Dietzfelbinger and others, "A reliable randomized algorithm for the
    /// closest-pair problem", 1997), a third of the cost. No two short ids of one length share one: each step can be undone.
    @inline(__always)
    private func hash(of id: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard id.count <= Self.short else { return longHash.hash(of: UnsafeRawBufferPointer(id)) }
        var word = UInt64(id.count)
        for byte in id { word = word << 8 | UInt64(byte) }
        let mixed = (word ^ secret.0) &* secret.1
        return (mixed ^ mixed >> 32) &* secret.1
    }

    /// Where the search for a hash begins: its high bits depend on all of the id.
    private func place(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 32) & (slots.count - 1) }

    /// The target of the id whose bytes stand at `range` of `payload`; nil for one that is new.
    func target(of range: Range<Int>, in payload: [UInt8]) -> Int? {
        if slots.isEmpty { return nil }
        return payload.withUnsafeBufferPointer { bytes in
            let id = UnsafeBufferPointer(rebasing: bytes[range])
            let hash = self.hash(of: id)
            var place = place(of: hash)
            while slots[place] != Self.free {
                let known = ids[Int(slots[place])]
                // The bytes of a long id alone are looked at: where it stands first may be far away.
                if known.hash == hash, known.range.count == id.count,
                    id.count <= Self.short || UnsafeBufferPointer(rebasing: bytes[known.range]).hasSameBytes(as: id)
                {
                    return known.target
                }
                place = (place + 1) & (slots.count - 1)
            }
            return nil
        }
    }

    /// Notes the target of the id whose bytes stand at `range` of `payload`, which is new.
    mutating func add(_ target: Int, of range: Range<Int>, in payload: [UInt8]) {
        let hash = payload.withUnsafeBufferPointer { self.hash(of: UnsafeBufferPointer(rebasing: $0[range])) }
        ids.append(ID(hash: hash, range: range, target: target))
        if ids.count > slots.count / 2 {
            slots = Array(repeating: Self.free, count: max(8, 2 * slots.count))
            for number in ids.indices { put(number) }
        } else {
            put(ids.count - 1)
        }
    }

    private mutating func put(_ number: Int) {
        var place = place(of: ids[number].hash)
        while slots[place] != Self.free { place = (place + 1) & (slots.count - 1) }
        slots[place] = Int32(number)
    }
}
