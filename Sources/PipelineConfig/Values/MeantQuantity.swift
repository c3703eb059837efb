/// The quantity that somebody meant who spelt it in another way: `7d` for `1 week`.
enum MeantQuantity {
    private static let longest = 40

    private static let durationUnits: [(unit: String, length: Int, words: Set<String>)] = [
        ("ns", 1, ["ns", "nanosecond", "nanoseconds"]), ("us", 1, ["us", "µs", "microsecond", "microseconds"]),
        ("ms", 1, ["ms", "msec", "msecs", "millis", "millisecond", "milliseconds"]), ("s", 1, ["s", "sec", "secs", "second", "seconds"]),
        ("m", 1, ["m", "min", "mins", "minute", "minutes"]), ("h", 1, ["h", "hr", "hrs", "hour", "hours"]), ("d", 1, ["d", "day", "days"]),
        ("d", 7, ["w", "wk", "wks", "week", "weeks"]), ("d", 365, ["y", "yr", "yrs", "year", "years"]),
    ]

    private static let sizeUnits: [(unit: String, words: Set<String>)] = [
        ("B", ["byte", "bytes"]), ("KB", ["k", "kb", "kilobyte", "kilobytes"]), ("MB", ["m", "mb", "megabyte", "megabytes"]),
        ("GB", ["g", "gb", "gigabyte", "gigabytes"]), ("TB", ["t", "tb", "terabyte", "terabytes"]), ("KiB", ["ki", "kib"]),
        ("MiB", ["mi", "mib"]), ("GiB", ["gi", "gib"]), ("TiB", ["ti", "tib"]),
    ]

    /// The duration that `text` means; nil when nobody knows.
    static func duration(_ text: String) -> String? {
        if let clock = clockTime(text) ?? isoDuration(text) { return clock }
        guard let parts = parts(of: text) else { return nil }
        var result = ""
        for part in parts {
            guard let (unit, length, _) = durationUnits.first(where: { $0.words.contains(part.unit) }) else { return nil }
            if length == 1 {
                result += part.number + unit
            } else {
                guard let number = Int(part.number), number < 1_000 else { return nil }
                result += "\(number * length)\(unit)"
            }
        }
        return (try? Quantity.duration(result)) == nil ? nil : result
    }

    /// `5m` for `00:05:00`, or for `5:00` when minutes and seconds are all there is.
    private static func clockTime(_ text: String) -> String? {
        let parts = text.utf8.count <= longest ? text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) } : []
        let numbers = parts.compactMap(\.self)
        guard parts.count == 3, numbers.count == 3, numbers.allSatisfy({ 0..<100 ~= $0 }) else { return nil }
        let written = zip(numbers, ["h", "m", "s"]).filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
        return written.isEmpty ? nil : written
    }

    /// `5m` for `PT5M` (ISO 8601).
    private static func isoDuration(_ text: String) -> String? {
        guard text.utf8.count <= longest, text.hasPrefix("P") else { return nil }
        let halves = text.dropFirst().split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard let days = halves.first, days.isEmpty || days.last == "D", !days.contains(where: { "MYW".contains($0) }) else { return nil }
        let result = (days + (halves.count > 1 ? halves[1] : "")).lowercased()
        return (try? Quantity.duration(result)) == nil ? nil : result
    }

    /// The size that `text` means; nil when nobody knows.
    static func size(_ text: String) -> String? {
        let text = text.contains(".") ? text : String(text.map { $0 == "," ? "." : $0 })
        guard let parts = parts(of: text), parts.count == 1, let part = parts.first,
            let (unit, _) = sizeUnits.first(where: { $0.words.contains(part.unit) })
        else { return nil }
        let result = part.number + unit
        return (try? Quantity.size(result)) == nil ? nil : result
    }

    /// The ratio that `text` means; nil when nobody knows.
    static func ratio(_ text: String) -> String? {
        guard text.utf8.count <= longest else { return nil }
        let result = String(text.filter { !$0.isWhitespace }.map { $0 == "," ? "." : $0 })
        return result == text || (try? Quantity.ratio(result)) == nil ? nil : result
    }

    /// Numbers, each with the word after it, in lower case.
    private static func parts(of text: String) -> [(number: String, unit: String)]? {
        guard text.utf8.count <= longest else { return nil }
        var rest = text.lowercased().filter { !$0.isWhitespace }[...]
        var parts: [(number: String, unit: String)] = []
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            rest = rest.dropFirst(number.count)
            let unit = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard !number.isEmpty, !unit.isEmpty else { return nil }
            parts.append((String(number), String(unit)))
        }
        return parts.isEmpty ? nil : parts
    }
}
