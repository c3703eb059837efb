/// How a fetch can end, as logs, metrics and records name it.
package enum FetchEnding: String, Sendable, CaseIterable {
    /// A fresh value.
    case value
    /// An expired value that a stale window allows.
    case stale
    /// There is no value.
    case notFound = "not_found"
    /// The fetch failed.
    case failed
}

extension Outcome {
    /// How the fetch ended.
    package var ending: FetchEnding {
        switch result {
        case .value: isStale ? .stale : .value
        case .notFound: .notFound
        case .failed: .failed
        }
    }

    /// Why the fetch failed; nil unless it did.
    package var error: LoadError? { if case .failed(let error) = result { error } else { nil } }
}
