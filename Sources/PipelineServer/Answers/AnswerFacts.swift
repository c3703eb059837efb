internal import Pipeline
internal import PipelineJSON

/// What envelopes say of an answer, whether it is a fetch or a snapshot.
struct AnswerFacts {
    let key: Key
    /// `value`, `not_found`, `failed` or `loading`.
    let outcome: String
    let source: String?
    let isStale: Bool
    let age: Duration?
    let freshFor: Duration?
    let payload: [UInt8]?
    let format: PayloadFormat
    let attempts: [Attempt]?
    let writes: [WriteRecord]
    let error: LoadError?
    /// What became of the parts; nil for a value that is not made from others.
    let made: (isComplete: Bool, parts: [PartOutcome], missing: [MissingTarget])?
    /// What became of the parts of a whole that is not the answer.
    var attempted: [PartOutcome] = []

    /// The members in their order, those of parts last.
    ///
    /// - Parameter redactor: a parameter may have a secret for its default.
    func members(_ redactor: Redactor) -> [(String, JSONText)] {
        let members: [(String, JSONText)] = [
            ("pipeline", .string(key.pipeline)),
            ("parameters", Envelope.parameters(of: key, redactor)),
            ("outcome", .string(outcome)),
            ("from", .optional(source)),
            ("stale", .bool(isStale)),
            ("age_ms", age.map { .int(Int($0.milliseconds)) } ?? .null),
            ("fresh_for_ms", freshFor.map { .int(Int($0.milliseconds)) } ?? .null),
            Envelope.value(payload, format: format),
            ("tiers", attempts.map { Envelope.tiers(of: $0, parts: Envelope.attempted(attempted, redactor)) } ?? .array([])),
            ("writes", .array(writes.map(Envelope.write))),
            ("error", error.map { Envelope.error($0, redactor) } ?? .null),
        ]
        guard let made else { return members }
        // Without a value there is nothing to be complete.
        let isComplete = outcome == "value" ? made.isComplete : nil
        return members + Envelope.combination(isComplete: isComplete, made.parts, missing: made.missing, redactor)
    }
}
