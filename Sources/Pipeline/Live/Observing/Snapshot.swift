/// A value and its status at one moment.
public struct Snapshot: Sendable {
    /// The key of the value.
    public let key: Key
    /// Counts the changes of the value while it is observed, from 1 on; 0 before there is one. A change of the status alone keeps it.
    public let revision: UInt64
    /// What changed since the snapshot that the same observer had before.
    public let changes: ListChanges
    /// What is known beside the value.
    public let status: LiveStatus
    private let value: SnapshotValue

    init(_ key: Key, revision: UInt64, _ value: SnapshotValue, changes: ListChanges, status: LiveStatus) {
        self.key = key
        self.revision = revision
        self.value = value
        self.changes = changes
        self.status = status
    }

    /// The value; nil while there is none, and when there is none to have (``isNotFound``).
    public var entry: Entry? { value.entry.flatMap { $0.isNotFound ? nil : $0 } }

    /// Whether it is known that there is no value.
    public var isNotFound: Bool { value.entry?.isNotFound ?? false }

    /// The bytes of the element with this id, in a list merged by id; nil when the list has none, or the value is no such list.
    public func element(_ id: String) -> [UInt8]? { value.element(id) }
}
