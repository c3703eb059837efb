/// What a process that listens to the others hears.
public enum HeardEvent: Sendable, Hashable {
    /// From now on every announcement arrives. Those made before this moment, or before it and since the last, may have been missed.
    case began
    /// Another process announced something.
    case announced(Announcement)
}
