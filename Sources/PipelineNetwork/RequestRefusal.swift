public import Pipeline

/// Why a request got no permit. None of these is a failure of the origin, and none opens a circuit.
public enum RequestRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// Until then it may not be sent: the origin asked for that, or answered others with the status `after` and named no time. The attempt is
    /// `skipped`.
    case resting(until: Timestamp, left: Duration, after: Int? = nil)
    /// So many requests wait already, all at least as important as this one.
    case queueFull(waiting: Int)
    /// The answer would come too late.
    case tooLate(waiting: Int, expected: Duration, left: Duration)
    /// The rate lets it begin only after its deadline.
    case paced(in: Duration, left: Duration)
    /// Its turn did not come before its deadline.
    case outOfTime(waited: Duration)

    /// Words for a trace, lower case: `asked to wait 19s`, `rests for 19s after a 503`.
    public var description: String {
        switch self {
        case .resting(_, let left, nil): "asked to wait \(left.roundedUp)"
        case .resting(_, let left, let status?): "rests for \(left.roundedUp) after a \(status)"
        case .queueFull(waiting: 0): "as many requests as may be are under way, and none may wait (`queue: 0`)"
        case .queueFull(let waiting): "\(Self.requests(waiting)) already, no more may"
        case .tooLate(let waiting, let expected, let left):
            "\(Self.requests(waiting)), expected \(expected.roundedUp), \(left.roundedUp) is left"
        case .paced(let wait, let left): "`rate` lets it begin in \(wait.roundedUp), \(left.roundedUp) is left"
        case .outOfTime(let waited): "not sent: waited \(waited.roundedUp) for its turn"
        }
    }

    private static func requests(_ count: Int) -> String { count == 1 ? "1 request waits" : "\(count) requests wait" }
}
