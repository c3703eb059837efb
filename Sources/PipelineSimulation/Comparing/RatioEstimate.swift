internal import Pipeline

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The ratio of one variant to the first: the geometric mean over the blocks, and an interval around it.
public struct RatioEstimate: Sendable, Hashable {
    /// The estimate; 2 is twice as much.
    public let ratio: Double
    /// The lower end of the interval.
    public let low: Double
    /// The upper end of the interval.
    public let high: Double

    /// Indicates whether the interval excludes that there is no difference.
    public var excludesOne: Bool { low > 1 || high < 1 }

    /// The number of times the blocks are drawn.
    private static let draws = 4_000

    /// The estimate from one ratio for each block; nil for fewer than two, and where one is no positive number.
    ///
    /// The interval is the percentile bootstrap of the mean of the logarithms. With few blocks that is too narrow, and so its percentiles are
    /// expanded as T. Hesterberg has it ("What Teachers Should Know About the Bootstrap", The American Statistician 69, 2015, arXiv:1411.5279).
    /// BCa corrects for a bias and a skew that the mean of a few logarithms hardly has, and not for the narrowness. No bootstrap reaches beyond
    /// the blocks that there are; where Student's interval is wider, that counts.
    ///
    /// - Parameters:
    ///   - questions: how many intervals are looked at together. With 95 % all of them contain the truth (Bonferroni).
    ///   - seed: of the draws.
    public init?(ofBlocks ratios: [Double], questions: Int = 1, seed: UInt64) {
        let count = Double(ratios.count)
        guard ratios.count >= 2, ratios.allSatisfy({ $0.isFinite && $0 > 0 }) else { return nil }
        let logarithms = ratios.map { log($0) }
        let mean = logarithms.reduce(0, +) / count
        let error = (logarithms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1) / count).squareRoot()
        let tail = 0.05 / Double(max(1, questions)) / 2
        let reach = -StudentT.quantile(tail, freedom: ratios.count - 1)
        let means = Self.means(of: logarithms, seed: seed)
        let rank = Int((Normal.cumulative(-reach * (count / (count - 1)).squareRoot()) * Double(Self.draws)).rounded(.down))
        ratio = exp(mean)
        low = exp(min(means[rank], mean - reach * error))
        high = min(exp(max(means[means.count - 1 - rank], mean + reach * error)), .greatestFiniteMagnitude)
    }

    init(ratio: Double, low: Double, high: Double) {
        (self.ratio, self.low, self.high) = (ratio, low, high)
    }

    /// The means of as many values, drawn with replacement; sorted.
    private static func means(of values: [Double], seed: UInt64) -> [Double] {
        // SplitMix64, without the lock of a generator that is shared.
        var state = seed
        var means: [Double] = []
        for _ in 0..<draws {
            var sum = 0.0
            for _ in values {
                state &+= 0x9E37_79B9_7F4A_7C15
                sum += values[Int(state.scrambled.multipliedFullWidth(by: UInt64(values.count)).high)]
            }
            means.append(sum / Double(values.count))
        }
        return means.sorted()
    }
}

/// The verdict of the blocks on a variant and the first one.
public enum RatioVerdict: String, Sendable, Hashable {
    /// The variant has less of what is measured.
    case less
    /// The variant has more of what is measured.
    case more
    /// No difference can be told.
    case none = "~"

    /// The least number of blocks: with fewer, chance alone puts all of them on one side in more than 5 % of all comparisons.
    public static let leastBlocks = 6

    /// The smallest difference that is told, which is a choice. Where a program's code and data happen to lie in memory changes its speed,
    /// too, and no number of blocks in one process evens that out (T. Mytkowicz et al., "Producing Wrong Data Without Doing Anything
    /// Obviously Wrong!", ASPLOS 2009).
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

    /// Makes the verdict on the first variant beside itself, where the smallest difference counts: it would be in every other ratio.
    init(ofItself estimate: RatioEstimate?, blocks: Int) {
        guard let estimate, blocks >= Self.leastBlocks, estimate.excludesOne else {
            self = .none
            return
        }
        self = estimate.ratio < 1 ? .less : .more
    }
}

/// The distribution of a mean of few values whose spread is estimated from them.
enum StudentT {
    /// The value that a share `p` of the distribution stays below.
    ///
    /// - Parameter freedom: how many values there are, less one; at least 1.
    static func quantile(_ p: Double, freedom: Int) -> Double {
        var (low, high) = (-1e6, 1e6)
        while high - low > 1e-10 * max(1, abs(low)) {
            let middle = (low + high) / 2
            guard middle > low, middle < high else { break }
            if cumulative(middle, freedom: freedom) < p { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    /// The share below `t`: Abramowitz and Stegun, 26.7.3 and 26.7.4, which are exact for integral degrees of freedom.
    static func cumulative(_ t: Double, freedom: Int) -> Double {
        let n = Double(freedom)
        let angle = atan(t / n.squareRoot())
        let square = cos(angle) * cos(angle)
        // From the second one on, each term is the one before times square × (k − 1) / k.
        let isOdd = !freedom.isMultiple(of: 2)
        var term = isOdd ? cos(angle) : 1
        var sum = freedom == 1 ? 0 : term
        for k in stride(from: isOdd ? 3 : 2, through: freedom - 2, by: 2) {
            term *= square * (Double(k) - 1) / Double(k)
            sum += term
        }
        let inside = isOdd ? 2 / Double.pi * (angle + sin(angle) * sum) : sin(angle) * sum
        return 0.5 + inside / 2
    }
}

/// The normal distribution.
enum Normal {
    /// The share below `z`.
    static func cumulative(_ z: Double) -> Double { erfc(-z / 2.0.squareRoot()) / 2 }
}
