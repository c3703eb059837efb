/// What many rounds gave: the median, and the bounds that a tenth of the rounds lies below or above.
struct Distribution {
    let median: Double
    let low: Double
    let high: Double

    init(_ samples: [Double]) {
        precondition(!samples.isEmpty, "a distribution needs a sample")
        let sorted = samples.sorted()
        func value(at part: Double) -> Double { sorted[Int((Double(sorted.count - 1) * part).rounded())] }
        median = value(at: 0.5)
        low = value(at: 0.1)
        high = value(at: 0.9)
    }

    private init(median: Double, low: Double, high: Double) {
        self.median = median
        self.low = low
        self.high = high
    }

    func scaled(by factor: Double) -> Distribution {
        Distribution(median: median * factor, low: low * factor, high: high * factor)
    }
}
