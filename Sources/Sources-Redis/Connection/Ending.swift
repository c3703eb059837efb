import Pipeline
import Synchronization

/// Why a connection ended, for those who come too late to be told.
final class Ending: Sendable {
    private let cause = Mutex<SourceError?>(nil)

    /// Nil while it has not ended.
    var error: SourceError? { cause.withLock { $0 } }

    /// Keeps the first cause.
    func set(_ error: SourceError) {
        cause.withLock { $0 = $0 ?? error }
    }
}
