internal import ArgumentParser

/// A part of a whole that is the least there must be: `80%`. Exact: 40 of 41 is less than 100 %.
struct LeastShare: ExpressibleByArgument {
    private let numerator: Int
    private let denominator: Int

    init?(argument: String) {
        guard argument.hasSuffix("%") else { return nil }
        let parts = argument.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard parts[0].count <= 3, decimals.count <= 6, let numerator = Int(parts[0] + decimals) else { return nil }
        (self.numerator, denominator) = (numerator, (0..<decimals.count).reduce(100) { product, _ in product * 10 })
        guard numerator <= denominator else { return nil }
    }

    /// Whether `count` of `all` is enough.
    func isMet(by count: Int, of all: Int) -> Bool { count * denominator >= all * numerator }
}
