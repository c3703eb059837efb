package import NIOHTTP1
package import Pipeline

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

    /// Nil where the credentials are at fault.
    private static func help(for status: Int) -> String? {
        switch status {
        case 401, 403, 407: nil
        case 404, 410: "correct `url`"
        default: "correct `url` or `headers`"
        }
    }

    /// What this ending of a trial, which ends itself when the stream has begun, says of its source.
    package func reachability() throws -> Reachability {
        switch kind {
        case .ended: return .reachable
        case .refused: throw SourceError(reason, kind: .refused, help: help)
        case .lost, .faulty, .unasked: throw SourceError(reason, help: help)
        }
    }
}
