@testable import SourcesMemory
import PipelineTesting
import Testing

@Suite struct GhostQueueTests {
    @Test func `a hash is remembered once, and for about as long as the window`() {
        var ghosts = GhostQueue()
        var random = SplitMix64(seed: 5)
        let hashes = (0..<1_000).map { _ in UInt32(truncatingIfNeeded: random.next()) }
        for hash in hashes { ghosts.insert(hash, window: 500) }

        let old = hashes.prefix(500).filter { ghosts.remove($0, window: 500) }
        let young = hashes.suffix(500).filter { ghosts.remove($0, window: 500) }
        let again = hashes.filter { ghosts.remove($0, window: 500) }

        #expect(old.isEmpty)
        #expect(young.count > 350)
        #expect(again.isEmpty)
    }

    @Test func `an empty one remembers nothing`() {
        var ghosts = GhostQueue()

        let isFoundInEmpty = ghosts.remove(0, window: 100)
        ghosts.insert(1, window: 0)
        let isFoundWithoutWindow = ghosts.remove(1, window: 0)

        #expect(!isFoundInEmpty)
        #expect(!isFoundWithoutWindow)
    }
}
