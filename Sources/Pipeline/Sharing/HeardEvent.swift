/// What a process that listens to the others hears.
public enum HeardEvent: Sendable, Hashable {
    /// From now on every announcement arrives. Those made before this moment, or before it and since the last, may have been missed.
    case began
    /// The source was reached and lets nothing be heard, for this reason: a sentence part, lower case, without a full stop. It is so until
    /// the next beginning.
    case refused(String)
    /// Another process announced something.
    case announced(Announcement)
}
