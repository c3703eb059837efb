internal import PipelineSimulation

extension Figure {
    /// `14.1 ms`: three digits, never finer than a microsecond.
    static func latency(_ value: Duration?) -> String {
        guard let milliseconds = value.map(\.inMilliseconds) else { return "–" }
        if milliseconds >= 100 { return whole(milliseconds) + " ms" }
        return decimal(milliseconds, milliseconds >= 10 ? 1 : milliseconds >= 1 ? 2 : 3) + " ms"
    }

    /// `1.9× (1.4–2.6)`; `~ (0.97–1.04)` where no difference can be told. Few blocks that differ much have an interval without ends: `~ (0–∞)`.
    static func ratio(_ comparison: ComparisonFindings.Comparison?) -> String {
        guard let comparison else { return "" }
        guard let estimate = comparison.estimate else { return "~" }
        let ends = "(\(estimate.lowerEnd.map(factor) ?? "0")–\(estimate.upperEnd.map(factor) ?? "∞"))"
        return comparison.verdict == .none ? "~ \(ends)" : "\(factor(estimate.ratio))× \(ends)"
    }

    /// A factor: `633`, `1.9`, `0.97`, `0.0016`.
    static func factor(_ value: Double) -> String {
        if value >= 10 { return whole(value) }
        if value >= 1.5 { return decimal(value, 1) }
        // Two digits that say something, down to a millionth.
        return decimal(value, value >= 0.1 ? 2 : value >= 0.01 ? 3 : value >= 0.001 ? 4 : 6)
    }

    /// `93%`, `0.4%`; `<0.1%` of what there is hardly anything of.
    static func percent(_ part: Int, of whole: Int) -> String {
        let share = 100 * Double(part) / Double(max(1, whole))
        if share > 0, share < 0.05 { return "<0.1%" }
        return decimal(share, share >= 1 || share == 0 ? 0 : 1) + "%"
    }

    /// A number without a needless fraction.
    static func plain(_ value: Double) -> String {
        value == value.rounded() ? whole(value) : "\(value)"
    }

    /// The value to the sixth digit behind the point, for programs.
    static func exact(_ value: Double) -> String {
        let rounded = abs(value) < 1e9 ? (value * 1e6).rounded() / 1e6 : value
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }

    /// `3.2s`.
    static func seconds(_ value: Duration) -> String { decimal(value.inMilliseconds / 1000, 1) + "s" }

    /// The next integer; the value itself if it is beyond all measure.
    private static func whole(_ value: Double) -> String { abs(value) < 1e15 ? count(Int(value.rounded())) : "\(value)" }
}

extension RatioEstimate {
    /// The lower end of the interval; nil if it is as good as 0, as with few blocks that differ much.
    var lowerEnd: Double? { low < 1e-6 ? nil : low }
    /// The upper end of the interval; nil if it is beyond all measure.
    var upperEnd: Double? { high > 1e6 ? nil : high }
}

extension Duration {
    var inMilliseconds: Double { self / .milliseconds(1) }
}
