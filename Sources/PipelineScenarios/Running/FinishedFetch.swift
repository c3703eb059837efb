internal import Pipeline

extension Error {
    /// What is wrong, on one line.
    var line: String {
        guard let error = self as? UsageError else { return "\(self)" }
        return ([error.message] + [error.help].compactMap(\.self)).joined(separator: "; ")
    }
}

/// A fetch that has ended.
struct FinishedFetch: Sendable {
    let result: Result<Outcome, any Error>
    let took: Duration

    var outcome: Outcome? { try? result.get() }

    /// Why there is no value; nil where the fetch came to an answer.
    func error(_ redactor: Redactor) -> String? {
        switch result {
        case .failure(let error): return error is CancellationError ? "cancelled" : redactor.redacted(error.line)
        case .success(let outcome): return outcome.error.map { redactor.redacted("\($0)") }
        }
    }
}
