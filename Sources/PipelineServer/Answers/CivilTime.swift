package import Pipeline

/// A moment as a date and a time in UTC.
package struct CivilTime {
    private let year: Int
    private let month: Int
    private let day: Int
    /// 0 is Sunday.
    private let weekday: Int
    private let milliseconds: Int

    package init(_ moment: Timestamp) {
        let total = moment.nanoseconds / 1_000_000
        let perDay: Int64 = 86_400_000
        let days = Int(total >= 0 ? total / perDay : (total - perDay + 1) / perDay)
        milliseconds = Int(total - Int64(days) * perDay)
        weekday = ((days + 4) % 7 + 7) % 7
        // Days since 0000-03-01, in the 400 years of the calendar's cycle: https://howardhinnant.github.io/date_algorithms.html
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// As `Sat, 31 Jan 2026 23:59:59 GMT` (RFC 9110, section 5.6.7).
    var inHTTP: String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(days[weekday]), \(Self.digits(day)) \(months[month - 1]) \(Self.digits(year, 4)) \(time) GMT"
    }

    /// As `2026-01-31T23:59:59.123Z` (RFC 3339).
    package var inLog: String {
        "\(Self.digits(year, 4))-\(Self.digits(month))-\(Self.digits(day))T\(time).\(Self.digits(milliseconds % 1000, 3))Z"
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
