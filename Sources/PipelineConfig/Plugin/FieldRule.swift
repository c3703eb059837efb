/// A condition on a field as a schema can state it. The regular expressions are those of ECMA-262 without flags.
///
/// New cases may come: switch with a `default`.
public enum FieldRule: Sendable, Hashable {
    /// A text without variables matches this.
    case text(matching: String)
    /// Each name of a map matches this.
    case keys(matching: String)
}
