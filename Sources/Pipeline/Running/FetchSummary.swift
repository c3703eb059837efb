/// The result of a fetch, without the value.
public struct FetchSummary: Sendable {
    /// How a fetch can end.
    public enum Ending: String, Sendable, CaseIterable {
        /// A fresh value.
        case value
        /// An expired value that a stale window allows.
        case stale
        /// There is no value.
        case notFound = "not_found"
        /// The fetch failed.
        case failed
    }

    /// How the fetch ended.
    public let result: Ending
    /// The source that gave the answer; nil when none did.
    public let source: String?
    /// How long it took; zero for an answer from memory without a wait.
    public let duration: Duration
    /// Why it failed; nil unless it did.
    public let error: LoadError?

    init(_ result: Ending, from source: String?, after duration: Duration = .zero, error: LoadError? = nil) {
        self.result = result
        self.source = source
        self.duration = duration
        self.error = error
    }

    init(_ outcome: Outcome, after duration: Duration) {
        switch outcome.result {
        case .value: self.init(outcome.isStale ? .stale : .value, from: outcome.source, after: duration)
        case .notFound: self.init(.notFound, from: outcome.source, after: duration)
        case .failed(let error): self.init(.failed, from: outcome.source, after: duration, error: error)
        }
    }
}
