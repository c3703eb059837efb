package import NIOHTTP1
package import Pipeline
import PipelineLive

extension LiveEnding {
    /// The ending that an answer means whose `status` begins no stream.
    ///
    /// 408, 425, 429 and 5xx pass by themselves; the server says when to ask again (`Retry-After`). Anything else stays as it is until
    /// the request or the server is changed.
    package init(status: Int, headers: HTTPHeaders, from place: String, wall: Timestamp) {
        let reason = "status \(status) from \(place)"
        guard [408, 425, 429].contains(status) || 500...599 ~= status else {
            self.init(.refused, reason, help: Self.help(for: status))
            return
        }
        let pause = headers.first(name: "Retry-After").flatMap { RetryAfter.pause($0, wall: wall) }
        self.init(.lost, reason, pause: pause.map { $0...$0 }, help: "the server is there: try again later, or correct `url`")
    }

    /// The advice for a status; nil if the credentials are at fault.
    private static func help(for status: Int) -> String? {
        switch status {
        case 401, 403, 407: nil
        case 404, 410: "correct `url`"
        default: "correct `url` or `headers`"
        }
    }

    /// The reachability of the source, by this ending of a trial, which ends itself when the stream has begun.
    package func reachability() throws -> Reachability {
        switch kind {
        case .ended: return .reachable
        case .refused: throw SourceError(reason, kind: .refused, help: help)
        case .lost, .faulty, .unasked: throw SourceError(reason, help: help)
        }
    }
}

/// The field `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The longest pause; a request for a longer one gets this.
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

    /// The time until a date; not more than is ever waited, and so never out of range.
    private static func pause(until date: String, wall: Timestamp) -> Duration? {
        let now = wall.nanoseconds / 1_000_000_000
        guard let seconds = HTTPDate.seconds(date, year: HTTPDate.year(of: now)) else { return nil }
        // A date has whole seconds: the part of one that is over is taken off again.
        let over = Duration.nanoseconds(wall.nanoseconds % 1_000_000_000)
        return .seconds(min(seconds - now, longest.components.seconds + 1)) - over
    }
}
