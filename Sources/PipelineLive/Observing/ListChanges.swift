import Pipeline
/// The changes of a list since the snapshot that the same observer had before: deletes, then updates, then inserts.
public struct ListChanges: Sendable, Equatable {
    /// One element's change.
    public struct Change: Sendable, Equatable {
        /// The operation on an element.
        ///
        /// Closed: nothing else can happen to an element.
        public enum Operation: Sendable, Equatable {
            case delete
            case update
            /// The element is new, at this index of the list as it is now.
            case insert(at: Int)
        }

        /// The operation on the element.
        public let operation: Operation
        /// The id, as text.
        public let id: String
        /// The element's bytes; nil for a delete.
        public let item: [UInt8]?
        /// The bytes that this observer had before; nil for an insert.
        public let old: [UInt8]?

        package init(_ operation: Operation, id: String, item: [UInt8]?, old: [UInt8]?) {
            (self.operation, self.id, self.item, self.old) = (operation, id, item, old)
        }
    }

    /// Indicates whether all of the value was replaced, and has to be taken anew: the first one, one that is no list merged by id, or more
    /// changes than are counted.
    public let isReset: Bool
    /// The changes; empty for a reset, and when only the status is new.
    public let changes: [Change]

    /// These changes.
    package init(_ changes: [Change]) { (isReset, self.changes) = (false, changes) }

    private init(isReset: Bool) { (self.isReset, changes) = (isReset, []) }

    /// The replacement of all of the value.
    package static let reset = ListChanges(isReset: true)
    /// Nothing changed in the value.
    package static let none = ListChanges(isReset: false)
}
