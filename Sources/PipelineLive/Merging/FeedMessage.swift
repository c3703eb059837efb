package import Pipeline

/// The content of a message of a feed.
package struct FeedMessage: Sendable {
    /// The consequence of a message.
    package enum Meaning: Sendable {
        case change(Change)
        /// The value must be loaded again.
        case refresh
        /// The message that the feed declares as `resync`: the list must be loaded again.
        case resync
        /// A message that cannot be read, for this reason.
        case invalid(String)
        /// A message of a change that is too large to keep, for this reason: the list must be loaded again.
        case faulty(String)
    }

    package let meaning: Meaning
    /// The number of the message, if the feed declares `sequence` and the message has an integer there.
    package internal(set) var sequence: Int64?
    /// For each parameter of `for` the text in the message; nil if the message has none.
    package internal(set) var addressing: [String: String?] = [:]

    init(_ meaning: Meaning) { self.meaning = meaning }

    /// Indicates whether it is for `key`: the texts that it names are the key's.
    package func concerns(_ key: Key) -> Bool {
        addressing.allSatisfy { parameter, text in
            guard let text, let value = key[parameter] else { return false }
            return text.hasSameBytes(as: value)
        }
    }
}

/// A change of one item of a list, as a message told it.
package struct Change: Sendable {
    /// The operation of a change.
    package enum Operation: Sendable, Hashable {
        /// The item takes the place of the one with its id.
        case upsert
        /// The item is removed.
        case delete
        /// Members of the item change (RFC 7396).
        case patch
    }

    package let operation: Operation
    package let id: ItemID
    /// The item's bytes; those of the patch for ``Operation/patch``. Not used for a delete.
    package let item: [UInt8]
    package let version: ItemVersion?
    /// The place for an item whose id the list lacks; nil for what the policy of the list says.
    package let insertion: MergePolicy.Insertion?

    package init(
        _ operation: Operation, _ id: ItemID, _ item: [UInt8], version: ItemVersion? = nil, insertion: MergePolicy.Insertion? = nil
    ) {
        (self.operation, self.id, self.item, self.version, self.insertion) = (operation, id, item, version, insertion)
    }

    /// About how much memory it takes.
    var size: Int { item.count + id.text.utf8.count + (version?.size ?? 0) + 64 }
}
