/// What can be written in a field, for documentation and schemas.
public indirect enum FieldType: Sendable, Hashable {
    case string
    case int
    case bool
    case duration
    case size
    case ratio
    case url
    case path
    case template
    case secret
    /// One of these words.
    case choice([String])
    case list(FieldType)
    case map(FieldType)
    case object([FieldDeclaration])
    /// Either of these.
    case either([FieldType])

    /// The type in the words of the documentation: `duration`, `list of strings`.
    public var name: String {
        switch self {
        case .string: "string"
        case .int: "integer"
        case .bool: "bool"
        case .duration: "duration"
        case .size: "size"
        case .ratio: "ratio"
        case .url: "URL template"
        case .path: "path template"
        case .template: "template"
        case .secret: "secret template"
        case .choice(let words): words.joined(separator: " | ")
        case .list(let element): "list of \(element.name)"
        case .map(let value): "map of \(value.name)"
        case .object: "mapping"
        case .either(let types): types.map(\.name).joined(separator: " or ")
        }
    }
}
