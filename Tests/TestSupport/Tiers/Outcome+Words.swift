package import Pipeline

extension Outcome {
    /// The value as text; nil when there is none.
    package var text: String? {
        guard case .value(let entry) = result else { return nil }
        return entry.text
    }

    /// The error of a failed fetch.
    package var failure: LoadError? {
        if case .failed(let error) = result { error } else { nil }
    }

    package var isNotFound: Bool {
        if case .notFound = result { true } else { false }
    }

    /// `memory: miss, disk: hit`.
    package var trace: String { attempts.map { "\($0.source): \($0.outcome.rawValue)" }.joined(separator: ", ") }

    /// `memory: written, disk: failed`.
    package var writeTrace: String { writes.map { "\($0.source): \($0.outcome.rawValue)" }.joined(separator: ", ") }
}
