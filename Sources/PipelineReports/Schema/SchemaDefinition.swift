internal import PipelineConfig
internal import PipelineJSON

/// What many fields share, below `$defs`.
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

    /// What a scalar is to YAML; as a text it is read as it is written.
    private static let scalarTypes = JSONText.array([.string("string"), .string("number"), .string("boolean")])
    private static let unquotedTypes = JSONText.array([.string("number"), .string("boolean")])
}
