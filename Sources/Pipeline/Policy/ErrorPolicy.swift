/// What a failing tier means for the fetch.
///
/// New cases may come: switch with a `default`.
public enum ErrorPolicy: String, Sendable, CaseIterable {
    /// The next tier is asked.
    case next
    /// The fetch fails with this tier's error.
    case fail
}
