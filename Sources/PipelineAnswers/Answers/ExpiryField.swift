package import Pipeline
package import PipelineJSON

/// The place where an answer says for how long it is good: `expires_in` or `expires_at`.
package enum ExpiryField: Sendable, Hashable {
    /// A number of seconds, also as text.
    case lifetime(JSONPointer)
    /// A moment: RFC 3339, or the seconds or milliseconds since 1970, also as text.
    case moment(JSONPointer)

    /// Longer times are told as this one.
    private static let longest = 3_155_760_000.0

    /// For how long the value is good from the wall time `wall` on; zero for one that has expired, nil where nothing stands there, or null.
    ///
    /// Throws where something stands there that says no time.
    ///
    /// - Parameters:
    ///   - body: JSON, as the answer came.
    ///   - wall: the time by the clock of the server, as far as it is known: see ``serverTime(wall:date:)``.
    package func remaining(in body: [UInt8], at wall: Timestamp) throws(SourceError) -> Duration? {
        let place = try SourceError.unusable { () throws(JSONScanner.Problem) in try JSONScanner.place(of: pointer, in: body) }
        guard let place, body[place.range].first != UInt8(ascii: "n") else { return nil }
        guard let text = JSONScalar.reference(body, at: place.range), let remaining = remaining(text, at: wall) else {
            throw .unusable("what stands at `\(pointer.description.shortened)` is no \(noun)")
        }
        return max(.zero, remaining)
    }

    private var pointer: JSONPointer {
        switch self {
        case .lifetime(let pointer), .moment(let pointer): pointer
        }
    }

    private var noun: String {
        switch self {
        case .lifetime: "number of seconds"
        case .moment: "moment"
        }
    }

    private func remaining(_ text: String, at wall: Timestamp) -> Duration? {
        let number = WrittenNumber.value(text)
        switch self {
        case .lifetime: return number.map { .seconds(max(0, min($0, Self.longest))) }
        case .moment: return (number.map { Timestamp(written: $0) } ?? RFC3339.moment(text))?.duration(since: wall)
        }
    }

    /// `lifetime` less `leeway`, of which at most a quarter of it is taken off.
    package static func reduced(_ lifetime: Duration, by leeway: Duration) -> Duration { lifetime - min(leeway, lifetime / 4) }

    /// The time by the clock of a server that gave an answer at our wall time `wall`: that of its `Date` where both differ by over 30 s.
    package static func serverTime(wall: Timestamp, date: Timestamp?) -> Timestamp {
        guard let date, !(.seconds(-30) ... .seconds(30)).contains(date.duration(since: wall)) else { return wall }
        return date
    }
}

extension Timestamp {
    /// The moment that lies `written` seconds after the Unix epoch, or milliseconds where these would be over three thousand years.
    init(written: Double) {
        let milliseconds = abs(written) < 1e11 ? written * 1_000 : written
        self = Timestamp(nanoseconds: 0) + .milliseconds(Int64(max(-1e15, min(milliseconds, 1e15))))
    }
}

/// Moments of RFC 3339: `2026-01-31T23:59:59.123Z`, `2026-02-01 01:59:59+02:00`.
enum RFC3339 {
    /// The moment that `text` names; nil for any other text.
    static func moment(_ text: String) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard 20...64 ~= bytes.count, "Tt ".utf8.contains(bytes[10]),
            zip([4, 7, 13, 16], "--::".utf8).allSatisfy({ bytes[$0] == $1 }),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            1...12 ~= month, hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = CivilDate(year: year, month: month, day: day).days
        // The 31st of a shorter month is another day, and so is the 0th.
        guard CivilDate(days: days).day == day else { return nil }
        var rest = bytes[19...]
        var nanoseconds = 0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            guard !digits.isEmpty else { return nil }
            nanoseconds = number((Array(digits) + Array(repeating: UInt8(ascii: "0"), count: 9)).prefix(9)) ?? 0
            rest = rest[digits.endIndex...]
        }
        guard let offset = offset(rest) else { return nil }
        let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
        return Timestamp(nanoseconds: Int64(nanoseconds)) + .seconds(seconds)
    }

    /// The minutes by which a place is ahead of UTC.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(text)
        if bytes.count == 1 { return bytes[0] | 0x20 == UInt8(ascii: "z") ? 0 : nil }
        guard bytes.count == 6, "+-".utf8.contains(bytes[0]), bytes[3] == UInt8(ascii: ":"), let hours = number(bytes[1..<3]),
            let minutes = number(bytes[4..<6]), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (bytes[0] == UInt8(ascii: "-") ? -1 : 1)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }
}
