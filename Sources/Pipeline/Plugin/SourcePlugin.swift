/// The code behind a `type:`: its fields, what it can do, and how to make a source from the decoded fields.
public struct SourcePlugin: Sendable {
    /// The word after `type:`.
    public let name: String
    /// One line on what it is.
    public let summary: String
    /// What its sources can do.
    public let capabilities: Capabilities
    private let fields: FieldGroup<Making>

    typealias Making = @Sendable (SourceContext) throws -> any Source

    /// A plugin whose closure gets the context and one argument for each field, in order.
    ///
    /// `make` does no I/O: a source opens what it needs when it is first used. What it throws names a fault of the
    /// machine, not of the file: fields report their own problems while they are decoded.
    public init<each Value: FieldValue>(
        _ name: String, summary: String, capabilities: Capabilities = [], fields: repeat Field<each Value>,
        make: @escaping @Sendable (SourceContext, repeat each Value) throws -> any Source
    ) {
        self.name = name
        self.summary = summary
        self.capabilities = capabilities
        self.fields = FieldGroup(repeat each fields) { (values: repeat each Value) -> Making in
            { context in try make(context, repeat each values) }
        }
    }

    /// The declared fields, in the order of documentation.
    public var declarations: [FieldDeclaration] { fields.declarations }

    /// Reads a source of this plugin from the members of its mapping; nil when it is not sound, and then that has been reported.
    func decode(_ members: [ConfigNode.Member], of owner: FieldOwner, with decoder: FieldDecoder) -> Making? {
        fields.decode(members, of: owner, reserved: ["type"], with: decoder)
    }
}
