import Pipeline
import Synchronization

/// The least a shared cache can be: a dictionary under a lock.
final class BareDictionary: Sendable {
    private let entries = Mutex<[String: Entry]>([:])

    subscript(key: String) -> Entry? {
        get { entries.withLock { $0[key] } }
        set { entries.withLock { $0[key] = newValue } }
    }
}
