/// A link that cannot be followed.
struct LinkError: Error {
    /// Why, with the name of the link and the pointer.
    let error: SourceError
    /// What the outcome says of the target, or of the reference.
    let part: PartOutcome

    /// Its target failed.
    ///
    /// - Parameter limit: what the time for it is, in words; nil for a deadline.
    init(_ failure: LoadError, of reference: LinkReference, _ key: Key, _ outcome: Outcome, within limit: String?) {
        let problem = PartOutcome.Problem(failure, within: limit)
        let at = reference.at
        let reason = "link `\(reference.link.spec.name)` at `\(at)`: \(problem.message)"
        error = SourceError(reason, kind: failure.kind == .deadlineExceeded ? .timeout : .failure, cause: failure)
        part = PartOutcome(at: at, key.pipeline, key, .failed, outcome: outcome, problem: problem)
    }

    /// Its reference is none, or its value has no place.
    ///
    /// - Parameters:
    ///   - place: the pointer to it.
    ///   - message: all of it, where the reason says too little.
    init(_ link: LinkSpec, at place: String, invalid reason: String, message: String? = nil) {
        error = SourceError(message ?? "link `\(link.name)` at `\(place)`: \(reason)", kind: .invalid)
        part = PartOutcome(
            at: place, link.pipeline, nil, .failed, usesDefault: link.defaultValue != nil,
            problem: PartOutcome.Problem(code: "invalid", message: reason), isDegraded: !link.isRequired)
    }
}

extension PartOutcome.Problem {
    /// What `failure` says.
    ///
    /// - Parameter limit: what the time for it is, in words; nil for a deadline.
    init(_ failure: LoadError, within limit: String?) {
        let isOverdue = failure.kind == .deadlineExceeded
        self.init(code: failure.kind.rawValue, message: isOverdue ? limit.map { "no answer within \($0)" } ?? "\(failure)" : "\(failure)")
    }
}
