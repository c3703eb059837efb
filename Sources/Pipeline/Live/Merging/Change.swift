/// A change of one item of a list, as a message told it.
package struct Change: Sendable {
    /// What happened.
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

    package init(_ operation: Operation, _ id: ItemID, _ item: [UInt8], version: ItemVersion? = nil) {
        (self.operation, self.id, self.item, self.version) = (operation, id, item, version)
    }

    /// About how much memory it takes.
    var size: Int { item.count + id.text.utf8.count + (version?.size ?? 0) + 64 }
}
