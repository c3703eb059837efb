/// The priority of a load when requests must wait for an origin: the one of the highest goes first.
///
/// New cases may come: switch with a `default`.
public enum Priority: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// No caller waits for it: a refresh of a copy that was served, a prefetch, warming.
    case background
    /// A load that can wait for others.
    case low
    /// The default.
    case normal
    /// A person waits for it.
    case high

    /// Indicates whether `left` is less important than `right`.
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
}
