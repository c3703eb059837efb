package import PipelineConfig

/// A test file as it is written.
package struct ScenarioDocument: FieldObject {
    /// The configuration, relative to the test file; nil for the one beside it.
    package let config: Placed<String>?
    /// The pipeline of the tests that name none.
    package let pipeline: Placed<String>?
    /// All the environment that the configuration has.
    package let environment: NamedValues<ScenarioText>
    /// Orders of sources by their names.
    package let orders: NamedValues<[Placed<String>]>
    package let tests: [Scenario]

    package static let noun = "the test file"

    /// The fields of a test file.
    package static let fields = FieldGroup(
        Field(
            "config", default: Placed<String>?.none,
            "The configuration, relative to this file; `NAME.yaml` for `NAME.test.yaml` by default."),
        Field("pipeline", default: Placed<String>?.none, "The pipeline of the tests that name none.", example: "friends"),
        Field(
            "environment", default: NamedValues<ScenarioText>(), "All the environment that the configuration has.",
            example: "{ API: \"http://example.org\" }"),
        Field(
            "orders", default: NamedValues<[Placed<String>]>(), "Orders of sources that tests run in, by their names.",
            example: "{ network-first: [api, disk] }"),
        Field<[Scenario]>("tests", "The tests.", example: "[]")
    ) { ScenarioDocument(config: $0, pipeline: $1, environment: $2, orders: $3, tests: $4) }
}
