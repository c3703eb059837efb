import Testing

@testable import PipelineSimulation

@Suite struct BlockOrderTests {
    @Test func `each variant runs once in a block, in orders that differ and that a seed repeats`() {
        let order = BlockOrder(of: 3, seed: 4)
        let blocks = (0..<60).map { order[$0] }

        #expect(blocks.allSatisfy { $0.sorted() == [0, 1, 2] })
        #expect(Set(blocks).count == 6)
        #expect((0..<60).map { BlockOrder(of: 3, seed: 4)[$0] } == blocks)
        #expect((0..<60).map { BlockOrder(of: 3, seed: 5)[$0] } != blocks)
    }
}
