internal import PipelineJSON

/// What came of assembling a whole.
struct AssembledWhole: Sendable {
    enum Result: Sendable {
        case value([UInt8])
        /// A required part is not there, as its origin said.
        case notFound
        /// A required part is not there, and no origin said so.
        case none
        case failed(SourceError)
    }

    let result: Result
    let times: PartTimes
    let composition: Composition
    /// Whether the time was over before all parts had ended.
    let isCut: Bool
}

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

    init(_ ending: PartSchedule.Ending, key: Key? = nil, outcome: Outcome? = nil) {
        (self.ending, self.key, self.outcome) = (ending, key, outcome)
    }

    /// It failed, for `error`.
    init(failed error: SourceError, key: Key? = nil, outcome: Outcome? = nil) {
        self.init(.failed, key: key, outcome: outcome)
        self.error = error
        problem = PartOutcome.Problem(code: error.kind == .invalid ? "invalid" : "error", message: error.reason)
    }

    /// Its fetch failed.
    init(failed failure: LoadError, _ outcome: Outcome) {
        self.init(.failed, key: outcome.key, outcome: outcome)
        let isTimeout = failure.kind == .deadlineExceeded || failure.attempts.last?.outcome == .timeout
        let isInvalid = failure.attempts.last?.outcome == .invalid
        error =
            isTimeout
            ? SourceError(timeout: failure.description, cause: failure)
            : isInvalid ? SourceError(invalid: failure.description, cause: failure) : SourceError(failure.description, cause: failure)
        problem = PartOutcome.Problem(code: failure.kind.rawValue, message: failure.description)
    }

    /// Whether it failed because its time was over.
    var isOverdue: Bool { problem?.code == LoadError.Kind.deadlineExceeded.rawValue }
}
