import Pipeline

/// An origin and the line to it: half a round trip, a server with so many workers, half a round trip, and a body over a line that all bodies
/// share equally. Times are in seconds.
struct SimulatedLink: Sendable {
    var roundTrip = 0.05
    /// Bytes in a second.
    var bandwidth: @Sendable (Double) -> Double = { _ in 1e7 }
    var workers = Int.max
    /// The time of one answer at a worker.
    var service: @Sendable (inout RandomGenerator) -> Double = { _ in 0 }
    /// What the demand of this number takes longer, however often it is asked.
    var serviceOfDemand: @Sendable (Int) -> Double = { _ in 0 }
    /// More requests at once than this are answered with 503.
    var mostAtOnce = Int.max
    /// More requests in a second than this are answered with 429.
    var mostInASecond = Int.max
    /// Requests that begin then fail after a round trip.
    var isDown: @Sendable (Double) -> Bool = { _ in false }

    static func exponential(_ mean: Double) -> @Sendable (inout RandomGenerator) -> Double {
        { -mean * (1 - Double.random(in: 0..<1, using: &$0)).logarithm }
    }
}

extension Double {
    /// The natural logarithm, of a number from 0 to 1: by the series of `atanh`, so that the simulation needs no library of mathematics.
    fileprivate var logarithm: Double {
        if self <= 0 { return -.infinity }
        let ratio = (significand - 1) / (significand + 1)
        var (power, sum) = (ratio, 0.0)
        for odd in stride(from: 1.0, to: 40, by: 2) {
            sum += power / odd
            power *= ratio * ratio
        }
        return 2 * sum + Double(exponent) * 0.693_147_180_559_945_3
    }
}
