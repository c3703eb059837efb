package import Pipeline
package import PipelineConfig

/// A step that fetches.
package struct FetchStep: Sendable {
    package var arguments = NamedValues<ScenarioText>()
    package var policy: FetchPolicy?
    package var timeout: Duration?
    package var order: Placed<[Placed<String>]>?
    package var times = 1
    package var atOnce = false
    package var expected = FetchExpectation()
}

extension FetchStep: FieldObject {
    package static let noun = "`fetch`"

    package static let fields = FieldGroup(
        Field("with", default: NamedValues<ScenarioText>(), "The arguments.", example: "{ user: 42 }"),
        Field("policy", default: FetchPolicy?.none, "What the fetch may read and write."),
        Field("timeout", default: Duration?.none, "The longest time for the fetch."),
        Field("order", default: Placed<AskedSources>?.none, "The sources to ask instead.", example: "[api, disk]"),
        Field("times", default: 1, range: 1...100_000, "How often it fetches."),
        Field("at_once", default: false, "Whether all the fetches begin at once."),
        FetchExpectation.isField, FetchExpectation.bytesField, FetchExpectation.jsonField, FetchExpectation.notFoundField,
        FetchExpectation.errorField, FetchExpectation.fromField, FetchExpectation.staleField, FetchExpectation.ageField,
        FetchExpectation.freshForField, FetchExpectation.tookField, FetchExpectation.tiersField, FetchExpectation.writesField,
        FetchExpectation.partsField, FetchExpectation.completeField
    ) {
        arguments, policy, timeout, order, times, atOnce, value, bytes, json, notFound, error, source, isStale, age, freshFor, took, tiers,
        writes, parts, isComplete in
        FetchStep(
            arguments: arguments, policy: policy, timeout: timeout, order: order.map { Placed($0.value.names, at: $0.range) }, times: times,
            atOnce: atOnce,
            expected: FetchExpectation(
                value: value, bytes: bytes, json: json, notFound: notFound, error: error, source: source, isStale: isStale, age: age,
                freshFor: freshFor, took: took, tiers: tiers, writes: writes, parts: parts, isComplete: isComplete))
    }
}
