import Synchronization

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
