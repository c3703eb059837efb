import Synchronization

/// The value of a snapshot. A merged list is joined when its entry is asked for, once for all who ask.
final class SnapshotValue: Sendable {
    /// The entry, made on demand.
    private enum State {
        case waiting(@Sendable () -> Entry?)
        case made(Entry?)
    }

    private let state: Mutex<State>
    private let find: @Sendable (String) -> [UInt8]?

    /// A value that is there as a whole.
    init(_ entry: Entry?) {
        state = Mutex(.made(entry))
        find = { _ in nil }
    }

    /// A value that `join` puts together, and whose elements `find` gives by id.
    init(joining join: @escaping @Sendable () -> Entry?, finding find: @escaping @Sendable (String) -> [UInt8]?) {
        state = Mutex(.waiting(join))
        self.find = find
    }

    var entry: Entry? {
        state.withLock { state in
            switch state {
            case .made(let entry): return entry
            case .waiting(let join):
                let entry = join()
                state = .made(entry)
                return entry
            }
        }
    }

    func element(_ id: String) -> [UInt8]? { find(id) }
}
