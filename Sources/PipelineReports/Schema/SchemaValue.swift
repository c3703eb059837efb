internal import PipelineConfig
internal import PipelineJSON
internal import PipelineYAML

/// Values of a configuration as JSON, by the core schema of YAML 1.2.2 (section 10.3.2).
enum SchemaValue {
    /// What `text` is when it stands in a file; the text itself where it is no YAML.
    static func ofYAML(_ text: String) -> JSONText {
        ConfigFile(text: Array(text.utf8), name: "").root.map(json) ?? .string(text)
    }

    /// A default as it is declared: a text is not YAML.
    static func ofDefault(_ text: String, of type: FieldType) -> JSONText {
        switch type {
        case .string, .template, .secret, .path, .url, .choice, .word: .string(text)
        default: ofYAML(text)
        }
    }

    /// What `word` is with quotes, and without them where that is something else.
    static func spellings(_ word: String) -> [JSONText] {
        switch plain(word) {
        case .string, .null: [.string(word)]
        case let other: [.string(word), other]
        }
    }

    private static func json(_ node: ConfigNode) -> JSONText {
        switch node.content {
        case .scalar(let scalar): scalar.isPlain ? plain(scalar.text) : .string(scalar.text)
        case .sequence(let elements): .array(elements.map(json))
        case .mapping(let members): .object(members.map { ($0.key, json($0.value)) })
        case .alias(let target): json(target)
        }
    }

    private static func plain(_ text: String) -> JSONText {
        if CoreSchema.isNull(text) { return .null }
        if let bool = CoreSchema.coreBool(text) { return .bool(bool) }
        if let int = CoreSchema.int(text) { return .int(int) }
        if text.wholeMatch(of: /[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?/) != nil, let double = Double(text), double.isFinite {
            return .number("\(double)")
        }
        return .string(text)
    }
}
