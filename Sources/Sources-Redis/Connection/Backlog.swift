import Pipeline
import Synchronization

/// How many bytes wait to be sent on one connection: a server that takes them slowly costs no more memory than this.
final class Backlog: Sendable {
    /// As many as the largest value has.
    static let most = StoredEntry.mostBytes
    /// Commands without a value, so that values which wait do not keep removals from being sent.
    private static let reserve = 8 << 20
    private static let small = 4_096

    private let waiting = Atomic(0)

    var bytes: Int { waiting.load(ordering: .relaxed) }

    /// Adds a command; false when too much waits already. One that nothing waits before is taken, however large.
    func add(_ count: Int) -> Bool {
        let sum = waiting.add(count, ordering: .relaxed).newValue
        if sum <= Self.most + (count <= Self.small ? Self.reserve : 0) || sum == count { return true }
        remove(count)
        return false
    }

    /// So many have been sent, or will never be.
    func remove(_ count: Int) {
        waiting.subtract(count, ordering: .relaxed)
    }
}
