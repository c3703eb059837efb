internal import Pipeline

/// What is declared of one field. Decoding, checks, documentation and the starter file all read it from here.
public struct FieldDeclaration: Sendable, Hashable {
    /// The key in the file.
    public let name: String
    /// What can be written.
    public let type: FieldType
    /// One sentence on what it means.
    public let documentation: String
    /// Whether it must be given.
    public let isRequired: Bool
    /// The value it has when it is not given, as it would be written; nil when there is none.
    public let defaultText: String?
    /// The bounds; nil when every value of the type is allowed.
    public let bounds: FieldBounds?
    /// A value as one would write it in the starter file.
    public let example: String?
    /// The field that replaces this one; nil unless it is deprecated.
    public internal(set) var replacement: String?
    /// A further condition, as far as a schema can state it.
    public internal(set) var rule: FieldRule?
    /// The field without which this one means nothing; nil for none.
    public internal(set) var need: FieldNeed?
    /// The field that may be given instead of this one, of which one must be given; nil for none.
    public internal(set) var alternative: String?
    /// What the field means beyond its source; nil for nothing.
    public internal(set) var role: FieldRole?

    init(
        name: String, type: FieldType, documentation: String, isRequired: Bool = false, defaultText: String? = nil,
        bounds: FieldBounds? = nil, example: String? = nil, replacement: String? = nil
    ) {
        self.name = name
        self.type = type
        self.documentation = documentation
        self.isRequired = isRequired
        self.defaultText = defaultText
        self.bounds = bounds
        self.example = example
        self.replacement = replacement
    }

    /// The bounds in words, as `0 or more`.
    public var rangeText: String? { bounds?.words }
}
