/// A value and its status at one moment.
public struct Snapshot: Sendable {
    /// What changed since the snapshot that the same observer had before.
    public let changes: ListChanges
    private let shared: SharedSnapshot

    init(_ shared: SharedSnapshot, changes: ListChanges) {
        self.shared = shared
        self.changes = changes
    }

    /// The key of the value.
    public var key: Key { shared.key }

    /// Counts the changes of the value while it is observed, from 1 on; 0 before there is one. A change of the status alone keeps it.
    public var revision: UInt64 { shared.revision }

    /// What is known beside the value.
    public var status: LiveStatus { shared.status }

    /// The value; nil while there is none, and when there is none to have (``isNotFound``).
    public var entry: Entry? { shared.value.entry.flatMap { $0.isNotFound ? nil : $0 } }

    /// Whether it is known that there is no value.
    public var isNotFound: Bool { shared.value.entry?.isNotFound ?? false }

    /// The bytes of the element with this id, in a list merged by id; nil when the list has none, or the value is no such list.
    public func element(_ id: String) -> [UInt8]? { shared.value.element(id) }
}
