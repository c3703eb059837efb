package import Pipeline

/// The field `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// What is asked for above this is taken for this.
    static let longest = Duration.seconds(86_400)

    /// The pause that `value` asks for at the wall time `wall`; nil for none, and for what cannot be read.
    package static func pause(_ value: String, wall: Timestamp) -> Duration? {
        let text = value.drop { $0 == " " || $0 == "\t" }.reversed().drop { " \t\r\n".contains($0) }.reversed()
        let isNumber = !text.isEmpty && String(text).utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        let pause: Duration?
        if isNumber {
            pause = Int64(String(text)).map { .seconds(min($0, longest.components.seconds)) } ?? longest
        } else {
            pause = Self.pause(until: String(text), wall: wall)
        }
        return pause.flatMap { $0 > .zero ? min($0, longest) : nil }
    }

    /// How far away a date is; not more than is ever waited, and so never out of range.
    private static func pause(until date: String, wall: Timestamp) -> Duration? {
        let now = wall.nanoseconds / 1_000_000_000
        guard let seconds = HTTPDate.seconds(date, year: HTTPDate.year(of: now)) else { return nil }
        // A date has whole seconds: the part of one that is over is taken off again.
        let over = Duration.nanoseconds(wall.nanoseconds % 1_000_000_000)
        return .seconds(min(seconds - now, longest.components.seconds + 1)) - over
    }
}
