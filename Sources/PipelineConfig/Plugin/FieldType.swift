/// The type of what can be written in a field, for documentation and schemas.
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
    package var fieldsWithin: [FieldDeclaration] {
        switch self {
        case .object(let fields, _): fields
        case .either(let types): types.flatMap(\.fieldsWithin)
        default: []
        }
    }

    /// Indicates whether `word` is one of the values that have a meaning of their own.
    package func offers(_ word: String) -> Bool {
        switch self {
        case .choice(let words): words.contains(word)
        case .either(let types): types.contains { $0.offers(word) }
        default: false
        }
    }
}

/// The fields of a mapping when the field that decides holds one word.
public struct FieldVariant: Sendable, Hashable {
    /// The word.
    public let name: String
    /// One line on what it means.
    public let documentation: String
    /// The fields, besides the one that decides.
    public let declarations: [FieldDeclaration]
    /// Fields of which exactly one is given; empty for none.
    public let alternatives: [String]

    init(name: String, documentation: String, declarations: [FieldDeclaration], alternatives: [String] = []) {
        self.name = name
        self.documentation = documentation
        self.declarations = declarations
        self.alternatives = alternatives
    }
}

/// The form of a scalar that is neither a quantity nor a choice among known words.
public struct FieldWord: Sendable, Hashable {
    /// The name of the form in the documentation: `status`.
    public let name: String
    /// The pattern that all of the text matches: a regular expression of ECMA-262, with `^` and `$`.
    public let pattern: String
    /// The numbers that are of the form when they are written without quotes; nil when none is.
    public let numbers: ClosedRange<Int>?
    /// Indicates whether `true` and `false` are of the form.
    public let allowsBools: Bool
    /// Indicates whether every number is of the form.
    public let allowsNumbers: Bool
    /// Indicates whether a list has each word but once.
    public let isUnique: Bool

    /// A form of the texts that match `pattern`.
    public init(
        _ name: String, matching pattern: String, numbers: ClosedRange<Int>? = nil, allowsBools: Bool = false, allowsNumbers: Bool = false,
        isUnique: Bool = false
    ) {
        self.name = name
        self.pattern = pattern
        self.numbers = numbers
        self.allowsBools = allowsBools
        self.allowsNumbers = allowsNumbers
        self.isUnique = isUnique
    }
}
