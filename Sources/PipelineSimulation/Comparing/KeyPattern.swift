#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
public import Pipeline

/// The keys that are asked for, as people write them: `zipf(0.9, 10000)`.
public struct KeyPattern: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        /// The key of rank r is asked in proportion to 1 / r^exponent.
        case zipf(exponent: Double)
        case uniform
        /// One after the other, from the first again.
        case loop
    }

    /// The most keys of a pattern.
    public static let mostKeys = 10_000_000

    private let kind: Kind
    /// The number of keys.
    public let count: Int

    /// Reads `zipf(EXPONENT, KEYS)`, `uniform(KEYS)` or `loop(KEYS)`; nil for anything else.
    public init?(_ text: String) {
        let words = text.split(separator: "(", maxSplits: 1)
        guard words.count == 2, words[1].last == ")" else { return nil }
        let values = words[1].dropLast().split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        guard let last = values.last, let count = Int(last), 1...Self.mostKeys ~= count else { return nil }
        switch (words[0], values.count) {
        case ("zipf", 2):
            guard let exponent = Double(values[0]), 0...10 ~= exponent else { return nil }
            kind = .zipf(exponent: exponent)
        case ("uniform", 1): kind = .uniform
        case ("loop", 1): kind = .loop
        default: return nil
        }
        self.count = count
    }

    /// Draws keys from one seed after another. Make it once: it holds a table of the ranks.
    public func drawing() -> @Sendable (_ number: Int, _ seed: UInt64) -> [Int32] {
        guard case .zipf(let exponent) = kind else {
            return { [count, kind] number, seed in
                if kind == .loop { return (0..<number).map { Int32($0 % count) } }
                var random = RandomGenerator.seeded(seed)
                return (0..<number).map { _ in Int32.random(in: 0..<Int32(count), using: &random) }
            }
        }
        var sum = 0.0
        let shares = (1...count).map { rank in
            sum += pow(Double(rank), -exponent)
            return sum
        }
        return { [sum] number, seed in
            var random = RandomGenerator.seeded(seed)
            return (0..<number).map { _ in
                let drawn = Double.random(in: 0..<sum, using: &random)
                var (low, high) = (0, shares.count - 1)
                while low < high {
                    let middle = (low + high) / 2
                    if shares[middle] > drawn { high = middle } else { low = middle + 1 }
                }
                return Int32(low)
            }
        }
    }
}

extension RequestPlan {
    /// Keys as `pattern` draws them, at even distances.
    ///
    /// - Parameters:
    ///   - keys: as many as the pattern has.
    ///   - count: how many requests one run has.
    public init(_ pattern: KeyPattern, keys: [Key], count: Int, rate: Double, seed: UInt64) {
        let draw = pattern.drawing()
        self.init(keys: keys) { block, isWarmUp in
            draw(count, seed ^ UInt64(2 * block + (isWarmUp ? 1 : 0)).scrambled).enumerated().map {
                TraceRequest(time: Int64(Double($0.offset) / rate * 1e9), key: $0.element)
            }
        }
    }
}
