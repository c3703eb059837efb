@testable import SourcesMemory
import PipelineTesting
import Testing

@Suite struct SlotIndexTests {
    @Test(arguments: [UInt32.max, 15, 0]) func `it agrees with a dictionary, also when hashes collide`(mask: UInt32) {
        var index = SlotIndex()
        var model: [Int32: UInt32] = [:]
        var random = SplitMix64(seed: 11)

        for _ in 0..<5_000 {
            let slot = Int32(random.below(100))
            if let hash = model[slot] {
                index.remove(slot) { $0 == slot ? hash : model[$0] ?? 0 }
                model[slot] = nil
            } else {
                let hash = UInt32(truncatingIfNeeded: random.next()) & mask
                model[slot] = hash
                index.insert(slot) { model[$0] ?? 0 }
            }
            for (slot, hash) in model where random.below(10) == 0 {
                #expect(index.find(hash: hash) { $0 == slot } == slot)
            }
            if model[slot] == nil { #expect(index.find(hash: 0) { $0 == slot } == nil) }
        }
    }
}
