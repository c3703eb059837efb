internal import Pipeline

/// Whether `error` says that a write found no room in a cache.
///
/// - Parameter reason: why; nil for any reason.
package func isNotKept(_ error: (any Error)?, because reason: String? = nil) -> Bool {
    guard let error = error as? SourceError, error.kind == .notKept else { return false }
    return reason.map { error.reason == $0 } ?? true
}
