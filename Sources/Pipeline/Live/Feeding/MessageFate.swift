/// What became of a message in one feed, for a change source that a test plays.
package struct MessageFate: Sendable, Hashable {
    /// What became of it.
    package enum Meaning: Sendable, Hashable {
        /// It told of a change.
        ///
        /// - Parameters:
        ///   - isKnown: whether the value had an item with its id.
        ///   - hasVersion: whether it says the version of the item.
        case change(Change.Operation, MergeEffect, isKnown: Bool, hasVersion: Bool)
        /// It had the value loaded again.
        case refresh
        /// It said that the list must be loaded again.
        case resync
        /// Its number shows that messages before it are missing.
        case gap
        /// It came before, by its number.
        case duplicate
        /// It could not be read.
        case skipped
        /// It is for a key that does not follow the feed.
        case elsewhere
    }

    /// The key; nil where it is not for one.
    package let key: Key?
    package let meaning: Meaning
}
