#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import Pipeline

/// How many times as much of something one variant has as the first: the geometric mean over the blocks, and an interval around it.
public struct RatioEstimate: Sendable, Hashable {
    /// The estimate; 2 is twice as much.
    public let ratio: Double
    /// The lower end of the interval.
    public let low: Double
    /// The upper end of the interval.
    public let high: Double

    /// Whether the interval excludes that there is no difference.
    public var excludesOne: Bool { low > 1 || high < 1 }

    /// How often the blocks are drawn.
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
