package import PipelineConfig

/// One test as it is written.
package struct Scenario: Sendable {
    package let name: Placed<String>
    /// The pipeline; nil for the default of the file.
    package let pipeline: Placed<String>?
    /// The names of the orders that it runs in; empty for the pipeline's own.
    package let orders: [Placed<String>]
    package let tags: [String]
    /// Indicates whether it alone runs.
    package let only: Placed<Bool>?
    package let given: NamedValues<SourceScript>
    package let steps: [ScenarioStep]
    /// The place of the test, from its first to its last line.
    package let range: TextRange
    /// Indicates whether all of it could be read.
    package let isSound: Bool
}

extension Scenario: FieldValue {
    package static var fieldType: FieldType { ScenarioFields.fieldType }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Scenario? {
        decoder.places.withTarget(of: node) { node in
            let mark = decoder.problems.mark
            return ScenarioFields.decode(node, with: decoder).map { fields in
                Scenario(
                    name: fields.name, pipeline: fields.pipeline, orders: fields.orders?.names ?? [],
                    tags: fields.tags?.names.map(\.value) ?? [],
                    only: fields.only, given: fields.given, steps: fields.steps, range: node.range,
                    isSound: decoder.problems.errors(since: mark) == 0)
            }
        }
    }

    package var written: String? { nil }
}

private struct ScenarioFields: FieldObject {
    let name: Placed<String>
    let pipeline: Placed<String>?
    let orders: NameList?
    let tags: NameList?
    let only: Placed<Bool>?
    let given: NamedValues<SourceScript>
    let steps: [ScenarioStep]

    static let noun = "a test"

    static let fields = FieldGroup(
        Field<Placed<String>>("name", "What the test shows.", example: "a copy expires at its ttl"),
        Field("pipeline", default: Placed<String>?.none, "The pipeline; that of the file where it is left out."),
        Field("in", default: NameList?.none, "The orders that it runs in, once in each.", example: "[cache-first, network-first]"),
        Field("tags", default: NameList?.none, "Words by which `--tag` selects tests.", example: "[slow]"),
        Field("only", default: Placed<Bool>?.none, "Whether no other test of the file runs. For the moment in which one is written."),
        Field(
            "given", default: NamedValues<SourceScript>(), "What the origins answer, and what the caches hold.",
            example: "{ api: '[\"v1\"]' }"),
        Field<[ScenarioStep]>("steps", "What happens, and what is expected of it.", example: "[fetch: { from: api }]")
    ) { ScenarioFields(name: $0, pipeline: $1, orders: $2, tags: $3, only: $4, given: $5, steps: $6) }
}

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
