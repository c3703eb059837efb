public import PipelineSending

/// The way in which a source takes sends, as its fields say it.
public struct SendTarget: Sendable, Hashable {
    /// The method of its requests (RFC 9110, section 9).
    public let method: String
    /// Whether a write may be repeated whose first try may have been processed: the `repetition` of the source.
    public let repetition: SendRepetition

    /// The way of a source whose requests have this method.
    public init(method: String, repetition: SendRepetition) {
        (self.method, self.repetition) = (method, repetition)
    }

    /// The methods by which a value is written.
    static let methods = ["POST", "PUT", "PATCH", "DELETE"]

    /// Indicates whether its requests write: others only ask.
    public var isWrite: Bool { Self.methods.contains(method) }

    /// Indicates whether asking twice may write twice, as the method alone has it.
    var mayWriteTwice: Bool { method == "POST" || method == "PATCH" }

    /// The field in which ids go out unless a send says otherwise; nil if they do not.
    var idHeader: IDHeader? { mayWriteTwice ? IDHeader() : nil }
}
