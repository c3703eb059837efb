/// What can be written in a field, for documentation and schemas.
///
/// New cases may come: switch with a `default`.
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
    /// An SQL query, which takes parameters (`:user`) and variables as bound values.
    case query
    /// One of these words.
    case choice([String])
    /// A scalar of this form.
    case word(FieldWord)
    case list(FieldType, atLeast: Int = 0)
    /// A mapping of names to values; names of any form unless `keys` says which.
    case map(FieldType, keys: FieldWord? = nil, atLeast: Int = 0)
    /// A mapping with these fields, of which exactly one of `oneOf` is given, unless that is empty.
    case object([FieldDeclaration], oneOf: [String] = [])
    /// A mapping whose fields depend on the word in one of them.
    case variants(by: String, [FieldVariant])
    /// No value: empty, `~` or `null`.
    case nothing
    /// Any value: a scalar, a list or a mapping.
    case any
    /// Either of these.
    case either([FieldType])

    /// A value of the type, for a field that shows none itself.
    package var sample: String {
        switch self {
        case .int: "10000"
        case .bool: "true"
        case .duration: "10s"
        case .size: "64MiB"
        case .ratio: "0.5"
        case .url: "https://example.org/"
        case .query: "SELECT 1"
        case .choice(let words): words.first ?? "\"\""
        case .list: "[]"
        case .map, .object, .variants, .any: "{}"
        case .either(let types): types.first.map(\.sample) ?? "\"\""
        case .string, .path, .template, .secret, .word, .nothing: "\"\""
        }
    }

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
        case .query: "SQL query"
        case .choice(let words): words.joined(separator: " | ")
        case .word(let word): word.name
        case .list(let element, _): "list of \(element.name)"
        case .map(let value, _, _): "map of \(value.name)"
        case .object, .variants: "mapping"
        case .nothing: "nothing"
        case .any: "any value"
        case .either(let types): types.map(\.name).joined(separator: " or ")
        }
    }
}

extension FieldType {
    /// The fields of the mapping that can be written, where that is one.
    var fieldsWithin: [FieldDeclaration] {
        switch self {
        case .object(let fields, _): fields
        case .either(let types): types.flatMap(\.fieldsWithin)
        default: []
        }
    }
}
