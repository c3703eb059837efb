/// Who sends a request, as far as the origin can tell: one whose requests are refused rests, and no other.
public struct RequestAsker: Hashable, Sendable {
    /// The name of the source.
    public let source: String
    /// A hash of what the source and its credentials are: the values themselves are not kept.
    public let credentials: UInt64
    /// Whether the value is for a part that its whole can do without. What such a request is refused lets no other request rest.
    public let isOptional: Bool

    /// A source that has these credentials.
    public init(source: String = "", credentials: UInt64 = 0, isOptional: Bool = false) {
        self.source = source
        self.credentials = credentials
        self.isOptional = isOptional
    }

    /// The hash stands for the name, too.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(credentials)
        hasher.combine(isOptional)
    }

    /// The same for a value that is needed.
    var required: RequestAsker { RequestAsker(source: source, credentials: credentials) }
    /// The same for a value that is not needed.
    var optional: RequestAsker { RequestAsker(source: source, credentials: credentials, isOptional: true) }
}
