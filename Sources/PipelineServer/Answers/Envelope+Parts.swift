internal import Pipeline
internal import PipelineJSON

extension Envelope {
    /// The members `complete`, `parts` and `missing` of a value that was made from others. Without a value there is nothing to be complete.
    ///
    /// - Parameter isComplete: nil without a value.
    static func combination(
        isComplete: Bool?, _ parts: [PartOutcome], missing: [MissingTarget], _ redactor: Redactor
    ) -> [(String, JSONText)] {
        [
            ("complete", isComplete.map(JSONText.bool) ?? .null),
            ("parts", self.parts(parts, redactor)),
            ("missing", .array(missing.map { Self.missing($0, redactor) })),
        ]
    }

    /// The parts that have no value, also as `serve` shows them when the whole failed.
    static func parts(_ parts: [PartOutcome], _ redactor: Redactor) -> JSONText {
        .array(parts.filter(\.isToldOf).map { part($0, redactor) })
    }

    /// The same of a whole that is not the answer; nil without any.
    static func attempted(_ parts: [PartOutcome], _ redactor: Redactor) -> JSONText? {
        parts.isEmpty ? nil : self.parts(parts, redactor)
    }

    private static func part(_ part: PartOutcome, _ redactor: Redactor) -> JSONText {
        .object([
            ("at", .string(part.at)),
            ("pipeline", .string(part.pipeline)),
            ("parameters", part.key.map { parameters(of: $0, redactor) } ?? .null),
            ("outcome", .string(part.ending.rawValue)),
            ("used", part.usesDefault ? .string("default") : .null),
            ("from", .optional(part.outcome?.source)),
            ("tiers", part.outcome.map { tiers(of: $0.attempts, parts: attempted($0.attemptedParts, redactor)) } ?? .array([])),
            ("error", part.problem.map { problem($0, redactor) } ?? .null),
        ])
    }

    private static func problem(_ problem: PartOutcome.Problem, _ redactor: Redactor) -> JSONText {
        .object([("code", .string(problem.code)), ("message", .string(redactor.redacted(problem.message)))])
    }

    private static func missing(_ target: MissingTarget, _ redactor: Redactor) -> JSONText {
        .object([("at", .string(target.at)), ("pipeline", .string(target.pipeline)), ("id", .string(redactor.redacted(target.id)))])
    }
}
