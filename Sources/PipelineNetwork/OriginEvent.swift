public import Pipeline

/// What a controller did about its origin that a person may want to know.
public enum OriginEvent: Hashable, Sendable {
    /// The origin is not asked before this moment, or the source of this name does not ask it.
    case rested(until: Timestamp, source: String? = nil)
    /// The limit of requests under way changed.
    case limited(to: Int)
    /// Hardly any second request was faster: none is sent before this moment.
    case hedgingPaused(until: Timestamp)
}
