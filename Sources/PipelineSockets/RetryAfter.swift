package import Pipeline

/// The field `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// What is asked for above this is taken for this.
    static let longest = Duration.seconds(86_400)

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The pause that `value` asks for at the wall time `wall`; nil for none, and for what cannot be read.
    package static func pause(_ value: String, wall: Timestamp) -> Duration? {
        let text = value.drop { $0 == " " || $0 == "\t" }.reversed().drop { " \t\r\n".contains($0) }.reversed()
        let isNumber = !text.isEmpty && String(text).utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        let pause: Duration?
        if isNumber {
            pause = Int64(String(text)).map { .seconds(min($0, longest.components.seconds)) } ?? longest
        } else {
            pause = date(String(text)).map { $0.duration(since: wall) }
        }
        return pause.flatMap { $0 > .zero ? min($0, longest) : nil }
    }

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    private static func date(_ text: String) -> Timestamp? {
        let parts = text.split { " ,:".contains($0) }
        guard parts.count == 8, parts[7] == "GMT", let month = months.firstIndex(of: String(parts[2])),
            let day = number(parts[1], 1...31), let year = number(parts[3], 1970...2200), let hour = number(parts[4], 0...23),
            let minute = number(parts[5], 0...59), let second = number(parts[6], 0...60)
        else { return nil }
        let seconds = ((days(year: year, month: month + 1, day: day) * 24 + hour) * 60 + minute) * 60 + second
        return Timestamp(nanoseconds: seconds * 1_000_000_000)
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int64>) -> Int64? {
        Int64(text).flatMap { range.contains($0) ? $0 : nil }
    }

    /// The days since 1970 ("chrono-Compatible Low-Level Date Algorithms", Hinnant, 2013).
    private static func days(year: Int64, month: Int, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
