/// What a read needs to know besides its key.
public struct ReadContext: Sendable {
    /// What the read is for.
    public enum Priority: Sendable {
        /// A fetch waits for the answer.
        case foreground
        /// The answer refreshes a copy that was served already.
        case background
    }

    /// When the answer is no longer needed; nil without a limit. The task of the read is cancelled then, or earlier when every caller has
    /// left.
    public var deadline: Timestamp?
    /// An answer that this origin gave before, and that it may confirm where that is cheaper than giving it again; nil for a cache.
    ///
    /// When it still holds, return it with its own payload and a new ``Entry/created``. Otherwise, or when the origin cannot confirm
    /// anything, read as without it.
    public var known: Entry?
    /// What the read is for.
    public var priority: Priority

    /// A read that must end by `deadline` and may confirm `known`.
    public init(deadline: Timestamp? = nil, confirming known: Entry? = nil, priority: Priority = .foreground) {
        self.deadline = deadline
        self.known = known
        self.priority = priority
    }
}
