import Synchronization

/// A number that one task says and others hear.
final class Said: Sendable {
    private let number = Atomic(0)

    var value: Int {
        get { number.load(ordering: .sequentiallyConsistent) }
        set { number.store(newValue, ordering: .sequentiallyConsistent) }
    }
}
