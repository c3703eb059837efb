package import PipelineConfig
package import PipelineJSON
internal import PipelineScenarios

/// The JSON Schema (draft 2020-12) of a configuration, and that of its tests, from the declarations that the decoder reads by.
///
/// It judges what a YAML reader of the core schema (YAML 1.2.2, section 10.3) makes of the text: there, `42` is a number, `yes` a
/// string, and quotes are gone. A string in which a variable stands (`${NAME}`) is accepted for every scalar.
package enum ConfigSchema {
    /// The schema of configurations whose sources are of `plugins`.
    package static func json(plugins: [SourcePlugin]) -> JSONText {
        .object(
            [
                ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
                ("$id", .string("urn:pipe-run:configuration:1")),
                ("title", .string("pipe-run configuration")),
                ("description", .string("Which sources a pipeline asks, in which order, and how long each copy is good.")),
            ] + SchemaTypes.object(RunnerConfig.declarations(plugins: plugins)) + [("$defs", SchemaDefinition.all)])
    }

    /// The schema of scenario tests.
    package static let tests = JSONText.object(
        [
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("$id", .string("urn:pipe-run:tests:1")),
            ("title", .string("pipe-run scenario tests")),
            (
                "description",
                .string("What pipelines do when time passes and sources fail: what is given, what happens, and what is expected.")
            ),
        ] + SchemaTypes.object(ScenarioDocument.fields.declarations) + [("$defs", SchemaDefinition.all)])
}
