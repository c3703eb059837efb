/// Why a source could not answer, in words for the person who reads the trace.
public struct SourceError: Error, Sendable, CustomStringConvertible {
    /// A sentence part, lower case, without a full stop: `status 503 from api.example.org`.
    public let reason: String
    /// What happened below, where there is more to know.
    public let cause: (any Error)?
    /// Whether the source did answer, with something that cannot be used: bad data instead of no data.
    public let isInvalidData: Bool

    /// A failure with `reason`.
    public init(_ reason: String, cause: (any Error)? = nil) {
        self.reason = reason
        self.cause = cause
        isInvalidData = false
    }

    /// A copy or an answer that is there and cannot be used, such as a torn file. The attempt is `invalid`.
    public init(invalid reason: String, cause: (any Error)? = nil) {
        self.reason = reason
        self.cause = cause
        isInvalidData = true
    }

    public var description: String { reason }
}
