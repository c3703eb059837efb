/// How important a load is to its callers. An origin that answers only so many requests at once gets the more important ones first.
public enum Priority: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// No caller waits for it: a refresh of a copy that was served, a prefetch, warming.
    case background
    /// It can wait for others.
    case low
    /// Nothing was said.
    case normal
    /// A person waits for it.
    case high

    /// Whether `left` is less important than `right`.
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
}
