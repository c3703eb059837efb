internal import PipelineJSON

/// What came of one part.
struct PartResult: Sendable {
    var ending: PartSchedule.Ending
    /// The value, or the default in its place.
    var value: JSONFragment?
    var key: Key?
    var outcome: Outcome?
    var problem: PartOutcome.Problem?
    var times = PartTimes()
    /// What was followed in it.
    var followed: Composition?
    /// Why it failed.
    var error: SourceError?
    /// Whether it failed because its time was over.
    private(set) var isOverdue = false

    init(_ ending: PartSchedule.Ending, key: Key? = nil, outcome: Outcome? = nil) {
        (self.ending, self.key, self.outcome) = (ending, key, outcome)
    }

    /// It failed, for `error`.
    init(failed error: SourceError, key: Key? = nil, outcome: Outcome? = nil) {
        self.init(.failed, key: key, outcome: outcome)
        self.error = error
        isOverdue = error.kind == .timeout
        problem = PartOutcome.Problem(error)
    }

    /// Its fetch failed.
    init(failed failure: LoadError, _ outcome: Outcome) {
        self.init(.failed, key: outcome.key, outcome: outcome)
        isOverdue = failure.kind == .deadlineExceeded
        let isTimeout = isOverdue || failure.attempts.last?.outcome == .timeout
        let isInvalid = failure.attempts.last?.outcome == .invalid
        error =
            isTimeout
            ? SourceError(timeout: failure.description, cause: failure)
            : isInvalid ? SourceError(invalid: failure.description, cause: failure) : SourceError(failure.description, cause: failure)
        problem = PartOutcome.Problem(code: failure.kind.rawValue, message: failure.description)
    }

    /// The same, where what ended it was the part's own timeout, which is no deadline.
    func overdue(after timeout: Duration?) -> PartResult {
        guard isOverdue, let timeout, let error else { return self }
        var result = self
        var message = error.reason
        if case .failed? = outcome?.result { message = "no answer within \(PartDemand.timeout(timeout))" }
        result.error = SourceError(timeout: message, cause: error)
        result.problem = PartOutcome.Problem(code: "timeout", message: message)
        return result
    }

    /// Whether what came of it would have been more with more time.
    var isCut: Bool { isOverdue || outcome?.composition?.isCut ?? false || followed?.isCut ?? false }
}

extension PartOutcome.Problem {
    /// What `error` says.
    init(_ error: SourceError) {
        let code =
            switch error.kind {
            case .invalid: "invalid"
            case .timeout: LoadError.Kind.deadlineExceeded.rawValue
            default: "error"
            }
        self.init(code: code, message: error.reason)
    }
}
