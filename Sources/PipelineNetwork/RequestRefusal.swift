public import Pipeline

/// Why a request got no permit. None of these is a failure of the origin, and none opens a circuit.
public enum RequestRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The origin asked not to be asked until then. The attempt is `skipped`.
    case resting(until: Timestamp, left: Duration)
    /// So many requests wait already, all at least as important as this one.
    case queueFull(waiting: Int)
    /// The answer would come too late.
    case tooLate(waiting: Int, expected: Duration, left: Duration)

    /// Words for a trace, lower case: `asked to wait 19s`.
    public var description: String {
        switch self {
        case .resting(_, let left): "asked to wait \(left.spokenUp)"
        case .queueFull(let waiting): "\(Self.requests(waiting)) already, no more may"
        case .tooLate(let waiting, let expected, let left):
            "\(Self.requests(waiting)), expected \(expected.spokenUp), \(left.spokenUp) is left"
        }
    }

    private static func requests(_ count: Int) -> String { count == 1 ? "1 request waits" : "\(count) requests wait" }
}

extension Duration {
    /// Rounded up to whole seconds, or to whole milliseconds below one second: what is left of a wait is never said to be less.
    fileprivate var spokenUp: String {
        let unit: Int64 = self < .seconds(1) ? 1_000_000 : 1_000_000_000
        let nanoseconds = max(0, saturatedNanoseconds)
        let units = nanoseconds / unit + (nanoseconds % unit == 0 ? 0 : 1)
        return Duration.nanoseconds(units * unit).spelling
    }
}
