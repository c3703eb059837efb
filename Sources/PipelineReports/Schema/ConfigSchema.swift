package import PipelineConfig
package import PipelineJSON
internal import PipelineScenarios

/// The JSON Schema (draft 2020-12) of a configuration, and the schema of its tests, from the declarations that the decoder reads by.
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

/// A definition that many fields share, below `$defs`.
enum SchemaDefinition: String, CaseIterable {
    case text
    case path
    case url
    case duration
    /// A duration that is not zero.
    case positiveDuration = "positive_duration"
    case size
    case bool
    case name
    case value = "variable"

    /// `$ref` to it.
    var reference: (String, JSONText) { ("$ref", .string("#/$defs/\(rawValue)")) }

    /// A string whose value a variable gives.
    static let variable = JSONText.object([value.reference])

    /// All of them.
    static let all = JSONText.object(allCases.map { ($0.rawValue, .object($0.members)) })

    private var members: [(String, JSONText)] {
        switch self {
        case .text: [("type", Self.scalarTypes)]
        case .path: Self.scalar([[("type", Self.unquotedTypes)], SchemaPattern.string(SchemaPattern.path)])
        case .url: Self.scalar([SchemaPattern.string(SchemaPattern.url)])
        case .duration: Self.scalar([SchemaPattern.string(SchemaPattern.duration(excludesZero: false)), [("const", .int(0))]])
        case .positiveDuration: Self.scalar([SchemaPattern.string(SchemaPattern.duration(excludesZero: true))])
        case .size: Self.scalar([SchemaBounds.bytes(nil), SchemaPattern.string(SchemaPattern.size(excludesZero: false))])
        case .bool:
            Self.scalar([[("type", .string("boolean"))], [("enum", .array(CoreSchema.boolWords.map { .string($0) }))]])
        // A variable stands in values, not in keys.
        case .name: [("not", .object([("pattern", .string(#"\$\{"#))]))]
        case .value: SchemaPattern.string(SchemaPattern.variable)
        }
    }

    private static func scalar(_ forms: [[(String, JSONText)]]) -> [(String, JSONText)] {
        [("anyOf", .array(forms.map { .object($0) } + [variable]))]
    }

    /// The types of a scalar in YAML; as a text it is read as it is written.
    private static let scalarTypes = JSONText.array([.string("string"), .string("number"), .string("boolean")])
    private static let unquotedTypes = JSONText.array([.string("number"), .string("boolean")])
}
