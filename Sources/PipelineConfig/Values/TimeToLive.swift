/// What can be written for `ttl`: how long a copy stays fresh in one cache.
///
/// Closed: there is a limit, or there is none.
public enum TimeToLive: Sendable, Hashable {
    /// As long as the entry it was made from.
    case none
    /// At most this long.
    case limited(Duration)

    /// The limit, or nil without one.
    package var limit: Duration? {
        if case .limited(let duration) = self { duration } else { nil }
    }
}
