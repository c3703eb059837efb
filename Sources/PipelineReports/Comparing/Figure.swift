internal import PipelineSimulation

/// Numbers as people read them.
enum Figure {
    /// `14.1 ms`: three digits, never finer than a microsecond.
    static func latency(_ value: Duration?) -> String {
        guard let milliseconds = value.map(\.inMilliseconds) else { return "–" }
        let digits = milliseconds >= 100 ? 0 : milliseconds >= 10 ? 1 : milliseconds >= 1 ? 2 : 3
        return grouped(fixed(milliseconds, digits: digits)) + " ms"
    }

    /// `1.9× (1.4–2.6)`; `~ (0.97–1.04)` where no difference can be told.
    static func ratio(_ comparison: ComparisonFindings.Comparison?) -> String {
        guard let comparison else { return "" }
        guard let estimate = comparison.estimate else { return "~" }
        let ends = "(\(factor(estimate.low))–\(factor(estimate.high)))"
        return comparison.verdict == .none ? "~ \(ends)" : "\(factor(estimate.ratio))× \(ends)"
    }

    /// A factor: `633`, `1.9`, `0.97`, `0.0016`.
    static func factor(_ value: Double) -> String {
        if value >= 10 { return grouped(fixed(value, digits: 0)) }
        if value >= 1.5 { return fixed(value, digits: 1) }
        // Two digits that say something, down to a millionth.
        return fixed(value, digits: value >= 0.1 ? 2 : value >= 0.01 ? 3 : value >= 0.001 ? 4 : 6)
    }

    /// `6,000`.
    static func count(_ value: Int) -> String { grouped("\(value)") }

    /// `93%`, `0.4%`.
    static func percent(_ part: Int, of whole: Int) -> String {
        let share = 100 * Double(part) / Double(max(1, whole))
        return fixed(share, digits: share >= 1 || share == 0 ? 0 : 1) + "%"
    }

    /// A number without a needless fraction.
    static func plain(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? grouped("\(Int(value))") : "\(value)"
    }

    /// To the sixth digit behind the point, for programs.
    static func exact(_ value: Double) -> String {
        let rounded = abs(value) < 1e9 ? (value * 1e6).rounded() / 1e6 : value
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }

    /// `3.2s`.
    static func seconds(_ value: Duration) -> String { fixed(value.inMilliseconds / 1000, digits: 1) + "s" }

    /// A number with so many digits behind the point; one beyond all measure as it is.
    private static func fixed(_ value: Double, digits: Int) -> String {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        guard abs(value * scale) < 1e15 else { return "\(value)" }
        let units = Int((abs(value) * scale).rounded())
        let sign = value < 0 && units > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(units)" }
        let fraction = "\(units % Int(scale))"
        return "\(sign)\(units / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    private static func grouped(_ number: String) -> String {
        let whole = number.prefix { $0 == "-" || $0.isNumber }
        var text = ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index).isMultiple(of: 3), text != "-" { text += "," }
            text.append(digit)
        }
        return text + number.dropFirst(whole.count)
    }
}

extension Duration {
    var inMilliseconds: Double { self / .milliseconds(1) }
}
