/// What a fetch came to, without the value.
public struct FetchSummary: Sendable {
    /// What it came to.
    public enum Result: String, Sendable, CaseIterable {
        /// A fresh value.
        case value
        /// An expired value that a stale window allows.
        case stale
        /// There is none.
        case notFound = "not_found"
        /// Nobody could answer.
        case failed
    }

    /// What it came to.
    public let result: Result
    /// The source that gave the answer; nil when none did.
    public let source: String?
    /// How long it took; zero for an answer from memory that nobody waited for.
    public let duration: Duration
    /// Why it failed; nil unless it did.
    public let error: LoadError?

    init(_ result: Result, from source: String?, after duration: Duration = .zero, error: LoadError? = nil) {
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
