#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

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

    /// The share below `t`: Abramowitz and Stegun, 26.7.3 and 26.7.4, which are exact for whole degrees of freedom.
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
