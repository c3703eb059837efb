package import Pipeline

/// A moment as a date and a time in UTC.
package struct CivilTime {
    private let date: CivilDate
    private let milliseconds: Int

    package init(_ moment: Timestamp) {
        let total = moment.nanoseconds / 1_000_000
        let perDay: Int64 = 86_400_000
        let days = Int(total >= 0 ? total / perDay : (total - perDay + 1) / perDay)
        milliseconds = Int(total - Int64(days) * perDay)
        date = CivilDate(days: days)
    }

    /// The form `Sat, 31 Jan 2026 23:59:59 GMT` (RFC 9110, section 5.6.7).
    var inHTTP: String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let month = CivilDate.monthNames[date.month - 1]
        return "\(days[date.weekday]), \(Self.digits(date.day)) \(month) \(Self.digits(date.year, 4)) \(time) GMT"
    }

    /// The form `2026-01-31T23:59:59.123Z` (RFC 3339).
    package var inLog: String {
        "\(Self.digits(date.year, 4))-\(Self.digits(date.month))-\(Self.digits(date.day))T\(time).\(Self.digits(milliseconds % 1000, 3))Z"
    }

    private var time: String {
        let seconds = milliseconds / 1000
        return "\(Self.digits(seconds / 3600)):\(Self.digits(seconds / 60 % 60)):\(Self.digits(seconds % 60))"
    }

    private static func digits(_ number: Int, _ count: Int = 2) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
