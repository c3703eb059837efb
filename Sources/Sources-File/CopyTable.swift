internal import Pipeline
internal import Synchronization

/// The facts known about payloads, so that a repeated hit needs neither a path filled in nor a sidecar read.
///
/// It holds only for a payload with the same status: every write, by this program or any other, gives another one. Two generations bound it:
/// when the young one is full it becomes the old one, and copies that were not read since then are forgotten.
final class CopyTable: Sendable {
    /// The facts known about one payload. An object: each hit takes it from the table.
    final class Copy: Sendable {
        let path: String
        let status: FileStatus
        /// The entry, its payload left empty.
        let entry: Entry

        init(path: String, status: FileStatus, entry: Entry) {
            (self.path, self.status, self.entry) = (path, status, entry)
        }
    }

    private struct State {
        var young: [Key: Copy] = [:]
        var old: [Key: Copy] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    /// A table of at most `limit` copies.
    init(limit: Int = 4096) {
        self.limit = limit
    }

    subscript(key: Key) -> Copy? {
        state.withLock { state in
            if let copy = state.young[key] { return copy }
            guard let copy = state.old[key] else { return nil }
            insert(copy, for: key, in: &state)
            return copy
        }
    }

    /// Remembers `copy`, in place of what was known of `key`.
    func remember(_ copy: Copy, for key: Key) {
        state.withLock { insert(copy, for: key, in: &$0) }
    }

    /// The paths of the copies of `pipeline`.
    func paths(of pipeline: String) -> Set<String> {
        state.withLock { state in
            Set([state.young, state.old].joined().filter { $0.key.pipeline.utf8.elementsEqual(pipeline.utf8) }.map(\.value.path))
        }
    }

    private func insert(_ copy: Copy, for key: Key, in state: inout State) {
        state.young[key] = copy
        guard state.young.count >= max(1, limit / 2) else { return }
        state.old = state.young
        state.young = [:]
    }
}
