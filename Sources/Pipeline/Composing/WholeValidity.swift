import Synchronization

/// Says whether the whole of one assembly is still what its parts make: a write of it that has not ended when a part changes is worthless.
final class WholeValidity: Sendable {
    private let state = Atomic(false)

    /// Whether a part has changed.
    var isVoid: Bool { state.load(ordering: .acquiring) }

    /// A part has changed.
    func void() { state.store(true, ordering: .releasing) }
}
