import NIOHTTP1
import Pipeline
import PipelineSockets

/// The fields of an answer about how often the server may be asked.
extension HTTPHeaders {
    /// The most of a pause that is believed.
    private static let longest = Duration.seconds(3_600)

    /// The pause that `Retry-After` asks for at the wall time `wall` (RFC 9110, section 10.2.3), at most an hour; nil for none, and for what
    /// cannot be read.
    func retryAfter(wall: Timestamp) -> Duration? {
        first(name: "Retry-After").flatMap { RetryAfter.pause($0, wall: wall) }.map { Swift.min($0, Self.longest) }
    }

    /// The time until the server may be asked again, if it says that nothing is left: `RateLimit: "default";r=0;t=12`, or
    /// `RateLimit-Remaining: 0` beside `RateLimit-Reset: 12` (drafts of the IETF group on HTTP interfaces). Nil otherwise.
    var rateLimitPause: Duration? {
        let pauses = self["RateLimit"].flatMap { $0.split(separator: ",") }.compactMap(Self.pause)
        if let longest = pauses.max() { return longest }
        guard Self.number(first(name: "RateLimit-Remaining")) == 0 else { return nil }
        // Some servers write a moment here, as seconds since 1970: that is no pause.
        return Self.number(first(name: "RateLimit-Reset")).flatMap { $0 < 1_000_000_000 ? Self.seconds($0) : nil }
    }

    /// The fields of earlier days, which mean something else at each server: shown where an answer failed, and not obeyed.
    var shownLimits: [String] {
        ["X-RateLimit-Remaining", "X-RateLimit-Reset"].compactMap { name in
            first(name: name).map { "\(name): \(String($0.prefix(40)))" }
        }
    }

    /// The pause of one policy: `"default";r=0;t=12`.
    private static func pause(_ policy: Substring) -> Duration? {
        var values: [Substring: Int] = [:]
        for part in policy.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
            if pair.count == 2 { values[pair[0][...]] = number(pair[1]) }
        }
        guard values["r"] == 0, let time = values["t"] else { return nil }
        return seconds(time)
    }

    private static func number(_ text: String?) -> Int? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return Int(text) ?? .max
    }

    private static func seconds(_ count: Int) -> Duration { Swift.min(.seconds(Swift.min(count, 1_000_000)), longest) }
}
