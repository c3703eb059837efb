import Synchronization

/// Who hears what is announced through each source.
final class Hearers: Sendable {
    private let state = Mutex<[String: [Invalidation]]>([:])

    subscript(source: String) -> [Invalidation] { state.withLock { $0[source] ?? [] } }

    /// False when it hears that source already.
    func add(_ invalidation: Invalidation, to source: String) -> Bool {
        state.withLock { hearers in
            guard hearers[source]?.contains(where: { $0 === invalidation }) != true else { return false }
            hearers[source, default: []].append(invalidation)
            return true
        }
    }
}
