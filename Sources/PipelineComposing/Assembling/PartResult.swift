import Pipeline
internal import PipelineJSON
import PipelineLive

/// What came of one part. An object: it is large, and looked at many times.
final class PartResult: Sendable {
    let ending: PartSchedule.Ending
    /// Its value; nil where it has none. A default is no value of its own.
    let value: JSONFragment?
    /// Nil where it was not asked.
    let key: Key?
    let outcome: Outcome?
    let times: PartTimes
    /// What was followed in it.
    let followed: Composition?
    private let failure: Failure?

    private struct Failure {
        let error: SourceError
        let problem: PartOutcome.Problem
        /// Whether its time was over.
        let isOverdue: Bool
    }

    private init(
        _ ending: PartSchedule.Ending, _ value: JSONFragment? = nil, key: Key?, outcome: Outcome?, times: PartTimes = PartTimes(),
        followed: Composition? = nil, failure: Failure? = nil
    ) {
        (self.ending, self.value, self.key, self.outcome) = (ending, value, key, outcome)
        (self.times, self.followed, self.failure) = (times, followed, failure)
    }

    /// It has a value.
    convenience init(_ value: JSONFragment, of outcome: Outcome, _ times: PartTimes, followed: Composition? = nil) {
        self.init(.value, value, key: outcome.key, outcome: outcome, times: times, followed: followed)
    }

    /// There is none.
    convenience init(notFound outcome: Outcome, _ times: PartTimes) {
        self.init(.notFound, key: outcome.key, outcome: outcome, times: times)
    }

    /// It failed, for `error`.
    ///
    /// - Parameter kind: the kind of failure that is told, where it is no timeout; nil for that of the error.
    convenience init(failed error: SourceError, as kind: LoadError.Kind? = nil, key: Key? = nil, outcome: Outcome? = nil) {
        let problem = PartOutcome.Problem(error, as: kind)
        self.init(
            .failed, key: key, outcome: outcome, failure: Failure(error: error, problem: problem, isOverdue: error.kind == .timeout))
    }

    /// Its fetch failed.
    convenience init(failed failure: LoadError, _ outcome: Outcome) {
        let isOverdue = failure.kind == .deadlineExceeded
        let isTimeout = isOverdue || failure.attempts.last?.outcome == .timeout
        let isInvalid = failure.attempts.last?.outcome == .invalid
        let error = SourceError(failure.description, kind: isTimeout ? .timeout : isInvalid ? .invalid : .failure, cause: failure)
        let problem = PartOutcome.Problem(code: failure.kind.rawValue, message: failure.description)
        self.init(
            .failed, key: outcome.key, outcome: outcome, failure: Failure(error: error, problem: problem, isOverdue: isOverdue))
    }

    /// Why it failed; nil where it did not.
    var error: SourceError? { failure?.error }

    /// Why it failed, as it is told; nil if it did not.
    var problem: PartOutcome.Problem? { failure?.problem }

    /// Whether it failed because its time was over.
    var isOverdue: Bool { failure?.isOverdue ?? false }

    /// This result, failed as `other` did.
    func failed(like other: PartResult) -> PartResult { PartResult(.failed, key: key, outcome: outcome, failure: other.failure) }

    /// This result, where what ended it was the part's own timeout, which is no deadline.
    func overdue(after timeout: Duration?) -> PartResult {
        guard isOverdue, let timeout, let error else { return self }
        var message = error.reason
        if case .failed? = outcome?.result { message = "no answer within \(PartDemand.timeout(timeout))" }
        let problem = PartOutcome.Problem(code: "timeout", message: message)
        let failure = Failure(error: SourceError(message, kind: .timeout, cause: error), problem: problem, isOverdue: true)
        return PartResult(.failed, key: key, outcome: outcome, failure: failure)
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

/// Where a place in the value of a part stands in the whole.
struct PartPlacing {
    let part: Composite.Part
    let spec: CompositeSpec
    /// The value of which `pick` takes members; nil where the part has none.
    let value: JSONFragment?

    /// The place in the whole of what stands at `place` in the value of the part's pipeline; nil where that is not in the whole. Of what is
    /// around `select` or around what is picked, the place of that.
    func place(of place: String) -> String? {
        guard let tokens = JSONPointer(place)?.tokens else { return part.at }
        guard let rest = Self.rest(of: tokens, in: part.spec.select.tokens) else { return nil }
        switch spec.shape {
        // A place in one of several lists is no place in the list of all.
        case .merge, .join: return part.at
        case .object:
            if spec.pick.isEmpty { return text([part.name] + rest) }
            // What is not picked can still be an argument of others.
            return part.at.isEmpty ? part.at : picked([part.name] + rest).map(text)
        case .of:
            if spec.pick.isEmpty || rest.isEmpty { return text(rest) }
            guard value?.isArray ?? false else { return picked(rest).map(text) }
            let inner = Array(rest.dropFirst())
            return (inner.isEmpty ? [] : picked(inner)).map { text(rest.prefix(1) + $0) }
        }
    }

    private func text(_ tokens: [String]) -> String { JSONPointer(tokens: tokens).description }

    private func text(_ tokens: ArraySlice<String>) -> String { text(Array(tokens)) }

    /// Where `pick` has put what is at `tokens`, or the first place of those within; nil where nothing of it is picked.
    private func picked(_ tokens: [String]) -> [String]? {
        for (name, at) in spec.pick where at.tokens.count <= tokens.count {
            if let rest = Self.rest(of: tokens, in: at.tokens) { return [name] + rest }
        }
        return spec.pick.first { Self.rest(of: tokens, in: $0.at.tokens) != nil }.map { [$0.name] }
    }

    /// What of `tokens` follows `begin`: none where they lead to it or to what is around it; nil where they lead elsewhere.
    private static func rest(of tokens: [String], in begin: [String]) -> [String]? {
        guard zip(tokens, begin).allSatisfy({ $0.hasSameBytes(as: $1) }) else { return nil }
        return Array(tokens.dropFirst(begin.count))
    }
}
