/// What it means for the fetch that an origin says there is no value.
///
/// New cases may come: switch with a `default`.
public enum NotFoundPolicy: String, Sendable, CaseIterable {
    /// It is the answer: the fetch ends, and caches forget the value, or remember for a while that there is none.
    case stop
    /// The next tier is asked; nothing is removed, and nothing is remembered.
    case next
    /// The tier counts as failed: copies stay, and stale windows apply. For its circuit breaker it is well.
    case fail
}
