/// How requests come.
public enum LoadShape: Sendable, Hashable {
    /// Open: at their planned times, however long the answers take. So many come in a second; nil for the times of a trace.
    case open(rate: Double?)
    /// Closed: so many clients, each of which asks again when it has its answer. What would have come meanwhile is not counted, so that a
    /// stalled origin is asked, and seen, less.
    case closed(clients: Int)
}
