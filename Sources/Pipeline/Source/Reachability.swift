/// The result of checking a source, when nothing speaks against its use.
///
/// New cases may come: switch with a `default`.
public enum Reachability: Sendable, Hashable {
    /// It answered, or it is at hand.
    case reachable
    /// It answered and can be used, but something that is not essential fails. The reason is a sentence part, lower case, without a full stop.
    case limited(String)
    /// Nothing could be tried. The reason is a sentence part, lower case, without a full stop: `its host depends on a parameter`.
    case untried(String)
    /// The source has no way to tell.
    case unknown
}
