public import Pipeline
import Synchronization

/// A value and its status at one moment.
public struct Snapshot: Sendable {
    /// The changes since the snapshot that the same observer had before.
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

    /// The status that is known beside the value.
    public var status: LiveStatus { shared.status }

    /// The value; nil while there is none, and when there is none to have (``isNotFound``).
    public var entry: Entry? { shared.value.entry.flatMap { $0.isNotFound ? nil : $0 } }

    /// Indicates whether it is known that there is no value.
    public var isNotFound: Bool { shared.value.entry?.isNotFound ?? false }

    /// The bytes of the element with this id, in a list merged by id; nil when the list has none, or the value is no such list.
    public func element(_ id: String) -> [UInt8]? { shared.value.element(id) }
}

/// What observers of a key see at one moment: one object for all of them.
final class SharedSnapshot: Sendable {
    let key: Key
    let revision: UInt64
    let value: SnapshotValue
    /// What changes are found by; nil where the next value cannot be compared with it.
    let contents: MergedContents?
    let status: LiveStatus

    init(_ key: Key, revision: UInt64, _ value: SnapshotValue, _ contents: MergedContents? = nil, status: LiveStatus) {
        (self.key, self.revision, self.value, self.contents, self.status) = (key, revision, value, contents, status)
    }

    /// This snapshot for an observer whose next value cannot be compared with it.
    var withoutContents: SharedSnapshot { SharedSnapshot(key, revision: revision, value, status: status) }

    /// Whether an observer sees no difference.
    func isSame(as other: SharedSnapshot) -> Bool {
        self === other || revision == other.revision && status == other.status
    }
}

/// The value of a snapshot. A merged list is joined when its entry is asked for; all who ask get the same one.
final class SnapshotValue: Sendable {
    /// The entry, made on demand.
    private enum State {
        case waiting(@Sendable () -> Entry?)
        case made(Entry?)
    }

    /// How old a value is.
    struct Times: Equatable {
        private let created, freshUntil: Timestamp?

        init(_ entry: Entry?) { (created, freshUntil) = (entry?.created, entry?.freshUntil) }
    }

    let times: Times
    private let state: Mutex<State>
    private let find: @Sendable (String) -> [UInt8]?

    /// A value that is there as a whole.
    init(_ entry: Entry?) {
        times = Times(entry)
        state = Mutex(.made(entry))
        find = { _ in nil }
    }

    /// A value that `join` puts together, and whose elements `find` gives by id.
    init(times: Times = Times(nil), joining join: @escaping @Sendable () -> Entry?, finding find: @escaping @Sendable (String) -> [UInt8]?)
    {
        self.times = times
        state = Mutex(.waiting(join))
        self.find = find
    }

    var entry: Entry? {
        let join: @Sendable () -> Entry?
        switch state.withLock({ $0 }) {
        case .made(let entry): return entry
        case .waiting(let waiting): join = waiting
        }
        // Without the lock: a long list takes its time, and others who ask must not have their threads held up.
        let joined = join()
        return state.withLock { state in
            // Where several have joined it, all get what the first of them made.
            if case .made(let first) = state { return first }
            state = .made(joined)
            return joined
        }
    }

    func element(_ id: String) -> [UInt8]? { find(id) }
}
