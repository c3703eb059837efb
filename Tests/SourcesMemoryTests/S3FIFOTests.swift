@testable import SourcesMemory
import PipelineTesting
import Testing

@Suite final class S3FIFOTests {
    private var policy = S3FIFO()

    func insert(hash: UInt32) -> Int32 { policy.insert(hash: hash) }

    func evict() -> Int32? { policy.evict() }

    @Test func `unused slots go in the order they came`() {
        let slots = (0..<5).map { insert(hash: UInt32($0)) }

        #expect(slots == [0, 1, 2, 3, 4])
        #expect((0..<5).map { _ in evict() } == [0, 1, 2, 3, 4])
        #expect(evict() == nil)
        #expect(policy.count == 0)
    }

    @Test func `a used slot moves to the main queue instead of going`() {
        let used = insert(hash: 1)
        let unused = insert(hash: 2)
        policy.hit(used)

        #expect(evict() == unused)
        #expect(policy.queue(of: used) == .main)
        #expect(evict() == used, "its use counted once")
    }

    @Test func `in the main queue each use is worth one more round, up to two`() {
        let often = insert(hash: 1)
        let once = insert(hash: 2)
        for slot in [often, once] { policy.hit(slot) }
        let filler = insert(hash: 3)
        #expect(evict() == filler)
        for _ in 0..<100 { policy.hit(often) }
        policy.hit(once)

        // once: 1 round; often: 2, so that it goes last.
        #expect(evict() == once)
        #expect(evict() == often)
    }

    @Test func `who comes back while its ghost is remembered enters the main queue`() {
        for hash in UInt32(0)..<10 { _ = insert(hash: hash &* 0x9E37_79B9) }
        #expect(evict() == 0)

        let back = insert(hash: 0)
        #expect(policy.queue(of: back) == .main)
        #expect(back == 0, "the slot is used again")
    }

    @Test func `what was used once in the small queue waits there once more, and what was used twice leaves it`() {
        let slots = (0..<100).map { insert(hash: UInt32($0)) }
        let small = slots.filter { policy.queue(of: $0) == .small }
        policy.hit(small[0])
        for _ in 0..<2 { policy.hit(small[1]) }

        #expect(evict() == small[2])
        #expect(policy.queue(of: small[0]) == .small)
        #expect(policy.queue(of: small[1]) == .main)
        let next = (0..<small.count).compactMap { _ in evict() }
        #expect(next.contains(small[0]))
    }

    @Test func `who comes back waits in the small queue while the main queue was used since it left`() {
        let slots = (0..<100).map { insert(hash: UInt32($0) &* 0x9E37_79B9) }
        for slot in slots where policy.queue(of: slot) == .main { policy.hit(slot) }
        #expect(evict() == 0)

        let whileAllWereUsed = insert(hash: 0)
        #expect(policy.queue(of: whileAllWereUsed) == .small)

        var backAgain: [S3FIFO.Queue] = []
        for hash in UInt32(1_000)..<1_002 {
            for other in 0..<100 {
                _ = evict()
                _ = insert(hash: (hash + UInt32(other) * 8) &* 0x9E37_79B9)
            }
            let lately = evict().map { policy.hash(of: $0) } ?? 0
            let back = insert(hash: lately)
            backAgain.append(policy.queue(of: back))
        }
        #expect(backAgain == [.small, .main], "the first looks at all that were used, the second finds one that was not used since")
    }

    @Test func `until the first goes, the small queue takes its share and the rest enters the main queue`() {
        let slots = (0..<100).map { insert(hash: UInt32($0)) }

        let small = slots.filter { policy.queue(of: $0) == .small }
        #expect((5...7).contains(small.count), "\(small.count)")
        #expect(evict() == small.first)
    }

    @Test func `a slot removed by hand leaves no ghost`() {
        let slot = insert(hash: 1)
        for hash in UInt32(2)..<10 { _ = insert(hash: hash) }

        policy.remove(slot)

        let again = insert(hash: 1)
        #expect(policy.queue(of: again) == .small)
    }

    @Test func `a slot that was taken cannot be evicted until it is put back`() {
        let slot = insert(hash: 1)
        let other = insert(hash: 2)

        policy.take(slot)
        #expect(evict() == other)
        #expect(evict() == nil)

        policy.putBack(slot)
        #expect(evict() == slot)
    }

    @Test func `random use keeps the links whole`() {
        var random = SplitMix64(seed: 3)
        var live: Set<Int32> = []
        for round in 0..<20_000 {
            let some = live.isEmpty ? nil : live[live.index(live.startIndex, offsetBy: random.below(live.count))]
            switch (random.below(10), some) {
            case (0..<4, _):
                let isNew = live.insert(insert(hash: UInt32(truncatingIfNeeded: random.next()))).inserted
                #expect(isNew)
            case (4..<7, let slot?): policy.hit(slot)
            case (7, let slot?):
                policy.remove(slot)
                live.remove(slot)
            case (8, let slot?):
                policy.take(slot)
                policy.putBack(slot)
            default:
                let victim = evict()
                #expect((victim == nil) == live.isEmpty)
                let removed = victim.flatMap { live.remove($0) }
                #expect(removed == victim, "round \(round)")
            }
            #expect(policy.count == live.count)
        }
    }

    @Test func `bookkeeping stays under 120 bytes an entry`() {
        // Slots and nodes grow by an eighth, the index is at least three eighths full, ghosts are 1.3 for each entry,
        // with half as many cells again.
        let slot = Double(MemoryLayout<MemoryStore.Slot?>.stride) * 1.125
        let node = Double(MemoryLayout<S3FIFO.Node>.stride) * 1.125
        let bucket = Double(MemoryLayout<SlotIndex.Bucket>.stride) * 8 / 3
        let ghost = Double(MemoryLayout<GhostQueue.Cell>.stride) * 1.3 * 1.5

        #expect(slot + node + bucket + ghost < 120)
    }
}
