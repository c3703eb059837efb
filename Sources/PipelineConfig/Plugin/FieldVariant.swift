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
