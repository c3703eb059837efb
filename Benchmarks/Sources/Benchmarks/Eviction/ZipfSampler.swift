import Foundation

/// Draws numbers of which the n-th is asked for in proportion to 1 / n^exponent.
struct ZipfSampler {
    private let sums: [Double]

    init(count: Int, exponent: Double) {
        var sum = 0.0
        sums = (1...count).map { rank in
            sum += 1 / pow(Double(rank), exponent)
            return sum
        }
    }

    /// A number from 0; the lower, the more often.
    func next(using generator: inout SeededGenerator) -> Int {
        let target = Double.random(in: 0..<(sums.last ?? 1), using: &generator)
        var low = 0
        var high = sums.count - 1
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] <= target { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
