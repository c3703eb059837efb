internal import Pipeline

/// Figures as people read them.
package enum Figure {
    /// A latency: `0.02 ms`, `14.1 ms`, `1.20 s`.
    package static func latency(_ nanoseconds: Int64?) -> String {
        guard let nanoseconds else { return "-" }
        if nanoseconds == 0 { return "0" }
        let milliseconds = Double(nanoseconds) / 1e6
        if milliseconds >= 1_000 { return decimal(milliseconds / 1_000, 2) + " s" }
        return (milliseconds >= 100 ? decimal(milliseconds, 0) : milliseconds >= 1 ? decimal(milliseconds, 1) : decimal(milliseconds, 3))
            + " ms"
    }

    /// A part of `all` in percent; `-` of nothing.
    package static func share(_ count: Int, of all: Int) -> String {
        guard all > 0 else { return "-" }
        let percent = Double(count) / Double(all) * 100
        return count == 0 ? "0" : (percent < 0.1 ? "<0.1%" : decimal(percent, 1) + "%")
    }

    /// A cost: cents, and of less than one the first three digits.
    package static func cost(_ value: Double) -> String {
        value >= 1 || value == 0 ? decimal(value, 2) : significant(value, 3, atLeast: 2)
    }

    /// `value` with so many digits from the first one on, never with an exponent, and without zeros at the end.
    ///
    /// - Parameter least: so many digits after the point stay in any case.
    package static func significant(_ value: Double, _ count: Int, atLeast least: Int = 0) -> String {
        let (bound, step) = ((0..<count - 1).reduce(1.0) { product, _ in product * 10 }, 10.0)
        var (digits, scaled) = (0, abs(value))
        while scaled < bound, digits < 15 { (digits, scaled) = (digits + 1, scaled * step) }
        var text = decimal(value, digits)
        while digits > least, text.hasSuffix("0") {
            text.removeLast()
            digits -= 1
        }
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// The number with commas between thousands.
    package static func count(_ value: Int) -> String {
        var text = ""
        for (index, digit) in String(value).enumerated() {
            let left = String(value).count - index
            if index > 0, left % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    package static func bytes(_ count: Int) -> String {
        for (unit, size) in [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3)] where Double(count) >= size {
            return decimal(Double(count) / size, 1) + unit
        }
        return "\(count)B"
    }

    /// `value` with so many digits after the point.
    package static func decimal(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        let scale = (0..<digits).reduce(1.0) { product, _ in product * 10 }
        let whole = Int64((abs(value) * scale).rounded())
        let (units, rest) = whole.quotientAndRemainder(dividingBy: Int64(scale))
        let sign = value < 0 && whole > 0 ? "-" : ""
        return digits == 0 ? "\(sign)\(units)" : "\(sign)\(units)." + String(repeating: "0", count: digits - String(rest).count) + "\(rest)"
    }
}
