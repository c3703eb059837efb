@testable import SourcesMemory
import PipelineTesting
import Testing

@Suite struct GhostQueueTests {
    @Test func `a hash is remembered once, and for about as long as the window`() {
        var ghosts = GhostQueue()
        var random = SplitMix64(seed: 5)
        let hashes = (0..<1_000).map { _ in UInt32(truncatingIfNeeded: random.next()) }
        for hash in hashes { ghosts.insert(hash, window: 500) }

        let old = hashes.prefix(500).filter { ghosts.remove($0, window: 500) != nil }
        let young = hashes.suffix(500).filter { ghosts.remove($0, window: 500) != nil }
        let again = hashes.filter { ghosts.remove($0, window: 500) != nil }

        #expect(old.isEmpty)
        #expect(young.count > 480)
        #expect(again.isEmpty)
    }

    @Test(arguments: [100, 20_000]) func `a hash that is found has its age`(window: Int) throws {
        var ghosts = GhostQueue()
        var random = SplitMix64(seed: 6)
        let hashes = (0..<window).map { _ in UInt32(truncatingIfNeeded: random.next()) }
        for hash in hashes { ghosts.insert(hash, window: window) }

        let found = ghosts.remove(hashes[window / 2], window: window)
        let ghost = try #require(found)

        // Large queues count a few insertions as one.
        let error = ghost.age - (window / 2 - 1)
        #expect(abs(error) <= window / 4_000)
        #expect(!ghost.wasInMain)
    }

    @Test func `a ghost tells whether it was in the main queue`() {
        var ghosts = GhostQueue()
        for hash in UInt32(0)..<100 { ghosts.insert(hash &* 0x9E37_79B9, wasInMain: hash % 3 == 0, window: 100) }

        let found = (UInt32(0)..<100).map { ghosts.remove($0 &* 0x9E37_79B9, window: 100)?.wasInMain }

        #expect(found == (0..<100).map { $0 % 3 == 0 })
    }

    @Test func `an empty one remembers nothing`() {
        var ghosts = GhostQueue()

        let isFoundInEmpty = ghosts.remove(0, window: 100) != nil
        ghosts.insert(1, window: 0)
        let isFoundWithoutWindow = ghosts.remove(1, window: 0) != nil

        #expect(!isFoundInEmpty)
        #expect(!isFoundWithoutWindow)
    }
}
