/// A field that must be given where another one is.
public struct FieldNeed: Sendable, Hashable {
    /// The field that must be given.
    public let field: String
    /// What is the case without it, as a part of a sentence: `without it nothing is merged`.
    public let reason: String
}
