import Pipeline
/// The end of a connection of a change source.
public struct LiveEnding: Sendable {
    /// The consequence of the end.
    ///
    /// New cases may come: switch with a `default`.
    public enum Kind: Sendable, Hashable {
        /// Connect again after a pause: the connection was lost, or the server closed it for a while.
        case lost
        /// Connect again after a pause. The server breaks the protocol, which is reported as a fault.
        case faulty
        /// The server refuses, such as for a password. Reported once; tried again at the longest pause.
        case refused
        /// The connection was not begun, for a reason on this side. Reported once; tried again at the longest pause.
        case unasked
        /// There is nothing more to come. Not tried again.
        case ended
    }

    /// The consequence of the end.
    public let kind: Kind
    /// The reason, as a sentence part in lower case: `closed by the server with 1001 (going away)`.
    public let reason: String
    /// The pause that the server asks for, random within it; nil if it asks for none.
    public let pause: ClosedRange<Duration>?

    /// The advice for a person, as the end of a sentence that begins with `help:`; nil if nothing can be said.
    public let help: String?

    /// An ending of `kind`.
    ///
    /// - Parameters:
    ///   - kind: what follows.
    ///   - reason: why, as a sentence part in lower case: `closed by the server with 1001 (going away)`.
    ///   - pause: the pause that the server asks for, random within it; nil where it asks for none.
    ///   - help: what a person can do about it, as the end of a sentence that begins with `help:`; nil where nothing can be said.
    public init(_ kind: Kind, _ reason: String, pause: ClosedRange<Duration>? = nil, help: String? = nil) {
        self.kind = kind
        self.reason = reason
        self.pause = pause
        self.help = help
    }

    /// The ending that an error of the source means.
    package init(_ error: any Error) {
        guard let error = error as? SourceError else {
            self.init(.lost, "\(error)")
            return
        }
        switch error.kind {
        case .failure, .timeout, .skipped, .notKept: self.init(.lost, error.reason)
        case .unasked: self.init(.unasked, error.reason)
        case .invalid: self.init(.faulty, error.reason)
        case .refused, .rejected: self.init(.refused, error.reason)
        }
    }
}
