/// A part of a whole, written `0.8` or `80%`.
public struct Ratio: Sendable, Hashable, Comparable {
    /// The part, from 0 to 1.
    public let value: Double

    /// The part `value` of 1.
    public init(_ value: Double) {
        self.value = value
    }

    /// Whether `left` is the smaller part.
    public static func < (left: Ratio, right: Ratio) -> Bool { left.value < right.value }
}

extension Double {
    /// A part of 1 as messages say it: `20%`, `2.5%`.
    package var percent: String { "\(Ratio((self * 1_000).rounded() / 10).written ?? "")%" }
}
