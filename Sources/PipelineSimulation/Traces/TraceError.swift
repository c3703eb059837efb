/// Why a trace cannot be used.
public struct TraceError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, and where.
    public let message: String
    /// What to do about it, where that is known.
    public let help: String?

    /// The problem in words.
    public init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }

    /// The message.
    public var description: String { message }
}
