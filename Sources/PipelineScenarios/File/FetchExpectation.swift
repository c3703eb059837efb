internal import Pipeline
package import PipelineConfig

/// What is expected of a fetch. What is nil is not checked.
package struct FetchExpectation: Sendable {
    package var value: Expected<ScenarioText>?
    package var bytes: Expected<ScenarioText>?
    package var json: Expected<JSONValue>?
    package var notFound: Expected<Bool>?
    package var error: Expected<ScenarioText>?
    package var source: Expected<String>?
    package var isStale: Expected<Bool>?
    package var age: Expected<Duration>?
    package var freshFor: Expected<TimeToLive>?
    package var took: Expected<Duration>?
    package var tiers: Expected<[Placed<TraceWord>]>?
    package var writes: Expected<[Placed<TraceWord>]>?
    package var parts: Expected<[Placed<TraceWord>]>?
    package var isComplete: Expected<Bool>?

    /// Whether it expects something in one of `orders`, nil among them for the pipeline's own.
    func applies(in orders: [String?], of known: [String]) -> Bool {
        func isMeant<Value>(_ expected: Expected<Value>?) -> Bool { expected?.applies(in: orders, of: known) ?? false }
        let ofValue = isMeant(value) || isMeant(bytes) || isMeant(json) || isMeant(notFound) || isMeant(error) || isMeant(isComplete)
        let ofTimes = isMeant(isStale) || isMeant(age) || isMeant(freshFor) || isMeant(took)
        return ofValue || ofTimes || isMeant(source) || isMeant(tiers) || isMeant(writes) || isMeant(parts)
    }
}

extension FetchExpectation: FieldObject {
    package static let noun = "what is expected of a fetch"

    package static let fields = FieldGroup(
        isField, bytesField, jsonField, notFoundField, errorField, fromField, staleField, ageField, freshForField, tookField, tiersField,
        writesField, partsField, completeField
    ) {
        value, bytes, json, notFound, error, source, isStale, age, freshFor, took, tiers, writes, parts,
        isComplete in
        FetchExpectation(
            value: value, bytes: bytes, json: json, notFound: notFound, error: error, source: source, isStale: isStale, age: age,
            freshFor: freshFor, took: took, tiers: tiers, writes: writes, parts: parts, isComplete: isComplete)
    }

    static let isField = Field(
        "is", default: Expected<ScenarioText>?.none, "The value. Compared as JSON where the pipeline's format is `json`.",
        example: "'[\"v1\"]'")
    static let bytesField = Field("bytes", default: Expected<ScenarioText>?.none, "The value, byte for byte.")
    static let jsonField = Field("json", default: Expected<JSONValue>?.none, "The value, as JSON that is written in YAML.")
    static let notFoundField = Field("not_found", default: Expected<Bool>?.none, "Whether the answer is that there is no value.")
    static let errorField = Field(
        "error", default: Expected<ScenarioText>?.none, "A text that the error contains; `true` for any error.", example: "status 500")
    static let fromField = Field("from", default: Expected<String>?.none, "The source of the answer.", example: "memory")
    static let staleField = Field("stale", default: Expected<Bool>?.none, "Whether the value expired and is served all the same.")
    static let ageField = Field("age", default: Expected<Duration>?.none, "How old the value is.")
    static let freshForField = Field(
        "fresh_for", default: Expected<TimeToLive>?.none, "How long the value stays fresh; `none` for one without a limit.")
    static let tookField = Field("took", default: Expected<Duration>?.none, "How long the fetch takes.")
    static let tiersField = Field(
        "tiers", default: Expected<[Placed<TraceWord>]>?.none, "What each tier does, in order.", example: "[memory miss, api hit]")
    static let partsField = Field(
        "parts", default: Expected<[Placed<TraceWord>]>?.none,
        "Which parts of a composite have no value, and why, in the order of the whole: where they stand, or the name of their pipeline.",
        example: "[/ads failed]")
    static let completeField = Field(
        "complete", default: Expected<Bool>?.none, "Whether the whole has all that its parts could have given.")
    static let writesField = Field(
        "writes", default: Expected<[Placed<TraceWord>]>?.none,
        "What happens to each write, in order: \(WriteRecord.Outcome.allCases.map(\.rawValue).joined(separator: ", ")).",
        example: "[memory written]")
}
