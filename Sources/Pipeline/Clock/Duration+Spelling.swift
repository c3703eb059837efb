extension Duration {
    /// The shortest spelling, as a file has it: `1h30m`.
    package var spelling: String {
        let units: [(String, Int64)] = [
            ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
            ("ms", 1_000_000), ("us", 1_000), ("ns", 1),
        ]
        var rest = saturatedNanoseconds
        if rest <= 0 { return "0s" }
        var text = ""
        for (unit, length) in units where rest >= length {
            text += "\(rest / length)\(unit)"
            rest %= length
        }
        return text
    }

    /// Rounded up to whole seconds, or to whole milliseconds below one second, as ``spelling`` has it: what is left of a wait is never said to
    /// be less.
    package var roundedUp: String {
        let unit: Int64 = self < .seconds(1) ? 1_000_000 : 1_000_000_000
        let missing = (unit - saturatedNanoseconds % unit) % unit
        return Duration.nanoseconds(saturatedNanoseconds.addingSaturated(missing)).spelling
    }
}
