/// What the blocks say about a variant and the first one.
public enum RatioVerdict: String, Sendable, Hashable {
    /// It has less of what is measured.
    case less
    /// It has more.
    case more
    /// No difference can be told.
    case none = "~"

    /// With fewer blocks, chance alone puts all of them on one side in more than 5 % of all comparisons.
    public static let leastBlocks = 6

    /// A smaller difference is not told, which is a choice. Where a program's code and data happen to lie in memory changes its speed, too, and
    /// no number of blocks in one process evens that out (T. Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!",
    /// ASPLOS 2009).
    public static let leastDifference = 0.02

    /// - Parameters:
    ///   - estimate: the variant to the first one.
    ///   - itself: the first one to itself, measured in the same blocks. Where that differs, the blocks tell nothing.
    ///   - blocks: how many there are.
    public init(_ estimate: RatioEstimate?, itself: RatioEstimate?, blocks: Int) {
        guard let estimate, let itself, blocks >= Self.leastBlocks, estimate.excludesOne, !itself.excludesOne,
            max(estimate.ratio, 1 / estimate.ratio) >= 1 + Self.leastDifference
        else {
            self = .none
            return
        }
        self = estimate.ratio < 1 ? .less : .more
    }

    /// Of the first variant to itself, where the smallest difference counts: it would be in every other ratio.
    init(ofItself estimate: RatioEstimate?, blocks: Int) {
        guard let estimate, blocks >= Self.leastBlocks, estimate.excludesOne else {
            self = .none
            return
        }
        self = estimate.ratio < 1 ? .less : .more
    }
}
