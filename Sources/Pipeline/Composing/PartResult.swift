internal import PipelineJSON

/// What came of one part.
struct PartResult: Sendable {
    var ending: PartSchedule.Ending
    /// The value, or the default in its place.
    var value: JSONFragment?
    var key: Key?
    var outcome: Outcome?
    var times = PartTimes()
    /// What was followed in it.
    var followed: Composition?
    private var failure = Boxed<Failure>.none

    private struct Failure {
        let error: SourceError
        let problem: PartOutcome.Problem
        /// Whether its time was over.
        let isOverdue: Bool
    }

    init(_ ending: PartSchedule.Ending, key: Key? = nil, outcome: Outcome? = nil) {
        (self.ending, self.key, self.outcome) = (ending, key, outcome)
    }

    /// It failed, for `error`.
    ///
    /// - Parameter kind: the kind of failure that is told, where it is no timeout; nil for that of the error.
    init(failed error: SourceError, as kind: LoadError.Kind? = nil, key: Key? = nil, outcome: Outcome? = nil) {
        self.init(.failed, key: key, outcome: outcome)
        failure = .some(Failure(error: error, problem: PartOutcome.Problem(error, as: kind), isOverdue: error.kind == .timeout))
    }

    /// Its fetch failed.
    init(failed failure: LoadError, _ outcome: Outcome) {
        self.init(.failed, key: outcome.key, outcome: outcome)
        let isOverdue = failure.kind == .deadlineExceeded
        let isTimeout = isOverdue || failure.attempts.last?.outcome == .timeout
        let isInvalid = failure.attempts.last?.outcome == .invalid
        let error =
            isTimeout
            ? SourceError(timeout: failure.description, cause: failure)
            : isInvalid ? SourceError(invalid: failure.description, cause: failure) : SourceError(failure.description, cause: failure)
        let problem = PartOutcome.Problem(code: failure.kind.rawValue, message: failure.description)
        self.failure = .some(Failure(error: error, problem: problem, isOverdue: isOverdue))
    }

    /// Why it failed; nil where it did not.
    var error: SourceError? { failure.value?.error }

    /// The same as it is told.
    var problem: PartOutcome.Problem? { failure.value?.problem }

    /// Whether it failed because its time was over.
    var isOverdue: Bool { failure.value?.isOverdue ?? false }

    /// The same where it failed as `other` did.
    func failed(like other: PartResult) -> PartResult {
        var result = self
        result.failure = other.failure
        return result
    }

    /// The same, where what ended it was the part's own timeout, which is no deadline.
    func overdue(after timeout: Duration?) -> PartResult {
        guard isOverdue, let timeout, let error else { return self }
        var result = self
        var message = error.reason
        if case .failed? = outcome?.result { message = "no answer within \(PartDemand.timeout(timeout))" }
        let problem = PartOutcome.Problem(code: "timeout", message: message)
        result.failure = .some(Failure(error: SourceError(timeout: message, cause: error), problem: problem, isOverdue: true))
        return result
    }

    /// Whether what came of it would have been more with more time.
    var isCut: Bool { isOverdue || outcome?.composition?.isCut ?? false || followed?.isCut ?? false }
}

extension PartOutcome.Problem {
    /// What `error` says.
    ///
    /// - Parameter kind: the kind of failure, where it is no timeout; nil for that of the error.
    init(_ error: SourceError, as kind: LoadError.Kind? = nil) {
        let code =
            switch error.kind {
            case .timeout: LoadError.Kind.deadlineExceeded.rawValue
            case .invalid: kind?.rawValue ?? "invalid"
            default: kind?.rawValue ?? "error"
            }
        self.init(code: code, message: error.reason)
    }
}
