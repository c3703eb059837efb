/// Where the file says what a tier or a pipeline does; empty for a tier that only a call names.
public struct PolicyPlaces: Sendable {
    /// Where the tier or the pipeline is named; nil when the file does not.
    public let range: TextRange?
    private let fields: FieldPlaces

    /// Nowhere in the file.
    static let none = PolicyPlaces(range: nil, fields: .none)

    init(range: TextRange?, fields: FieldPlaces) {
        self.range = range
        self.fields = fields
    }

    /// Where the field `name` stands; nil when its default holds.
    public subscript(name: String) -> TextRange? { fields.key(name)?.range }
}
