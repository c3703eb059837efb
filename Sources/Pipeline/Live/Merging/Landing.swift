/// What a load, a copy or a `put` came to once the changes were merged into it.
package struct Landing: Sendable {
    /// The value with the changes.
    package let entry: Entry
    /// Whether the list must be loaded again: a change is for an id that this list lacks, too.
    package let needsRefresh: Bool
    /// Why changes could not be merged: the value has no list.
    package let failure: String?
}
