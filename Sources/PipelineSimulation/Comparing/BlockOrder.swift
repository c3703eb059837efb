internal import Pipeline

/// The order of the runs: each variant once in a block, in an order that is drawn anew for each block.
///
/// What changes slowly (the machine's temperature, the origin's load) so meets all variants alike.
public struct BlockOrder: Sendable {
    private let count: Int
    private let seed: UInt64

    /// - Parameter count: how many variants there are.
    public init(of count: Int, seed: UInt64) {
        (self.count, self.seed) = (count, seed)
    }

    /// The variants of a block, by their number, in the order in which they run.
    public subscript(block: Int) -> [Int] {
        var random = RandomGenerator.seeded(seed ^ UInt64(block).scrambled)
        return Array(0..<count).shuffled(using: &random)
    }
}
