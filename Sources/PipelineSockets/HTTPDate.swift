internal import Pipeline

/// The dates of HTTP fields (RFC 9110, section 5.6.7), in seconds since 1970: the years of a field go further than those of a timestamp.
package enum HTTPDate {
    private static let months = CivilDate.monthNames.map { $0.lowercased() }
    private static let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`, in upper or lower case; nil for
    /// anything else, also for another time zone.
    ///
    /// - Parameter year: the present one. A year of two digits is no more than 50 years after it.
    package static func seconds(_ text: String, year: Int64) -> Int64? {
        let parts = text.lowercased().split(separator: " ", omittingEmptySubsequences: false)
        switch parts.count {
        case 6 where parts[0].hasSuffix(","):
            guard isDay(parts[0].dropLast(), isShort: true), parts[5] == "gmt" else { return nil }
            return seconds(parts[3], parts[2], parts[1], parts[4])
        case 4:
            let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts[0].hasSuffix(","), isDay(parts[0].dropLast(), isShort: false), date.count == 3, parts[3] == "gmt",
                let lastDigits = number(date[2], digits: 2)
            else { return nil }
            return seconds("\(full(lastDigits, near: year))", date[1], date[0], parts[2])
        case 5, 6:
            // A day below 10 has one digit, after another blank.
            guard isDay(parts[0], isShort: true), parts.count == 5 || parts[2].isEmpty && parts[3].utf8.count == 1 else { return nil }
            let rest = parts.suffix(3).map { $0 }
            return seconds(rest[2], parts[1], parts.count == 5 ? rest[0] : "0" + rest[0], rest[1])
        default: return nil
        }
    }

    /// The year of a moment in seconds since 1970, as far as two digits of one are told apart by it.
    package static func year(of seconds: Int64) -> Int64 { 1970 + seconds / 31_556_952 }

    private static func isDay(_ name: Substring, isShort: Bool) -> Bool {
        days.contains { isShort ? $0.prefix(3) == name : $0[...] == name }
    }

    private static func full(_ lastDigits: Int64, near year: Int64) -> Int64 {
        let candidate = year - year % 100 + lastDigits
        return candidate > year + 50 ? candidate - 100 : candidate
    }

    private static func seconds(_ year: Substring, _ month: Substring, _ day: Substring, _ time: Substring) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let year = number(year, digits: 4), let month = months.firstIndex(of: String(month)),
            let day = number(day, digits: 2), clock.count == 3, let hour = number(clock[0], digits: 2),
            let minute = number(clock[1], digits: 2), let second = number(clock[2], digits: 2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = CivilDate(year: Int(year), month: month + 1, day: Int(day)).days
        // The 31st of a shorter month is another day, and so is the 0th.
        guard CivilDate(days: days).day == day else { return nil }
        return ((Int64(days) * 24 + hour) * 60 + minute) * 60 + second
    }

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        text.utf8.count == digits && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int64(text) : nil
    }
}
