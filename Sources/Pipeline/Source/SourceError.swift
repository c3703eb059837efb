/// Why a source could not answer, in words for the person who reads the trace.
public struct SourceError: Error, Sendable, CustomStringConvertible {
    /// What the attempt counts as.
    public enum Kind: Sendable, Hashable {
        /// It could not answer: `error`.
        case failure
        /// There is an answer or a copy, and it cannot be used, such as a torn file: `invalid`.
        case invalid
        /// A time limit of the source's own ended it: `timeout`.
        case timeout
        /// It was reached and refused: a password, a token, a schema is not right. Counts as `error`.
        case refused
        /// It works, and does not take this one request, such as for a key that it finds invalid: `error`. Another request may do better,
        /// and so a circuit breaker takes it for a proof that the source is well.
        case rejected
        /// It was not asked, since it wants to be left alone for a while: `skipped`. No circuit breaker counts it.
        case skipped
        /// It was not asked for a reason on this side, such as too many requests that wait already: `error`. No circuit breaker counts it.
        case unasked
    }

    /// A sentence part, lower case, without a full stop: `status 503 from api.example.org`.
    public let reason: String
    /// What the attempt counts as.
    public let kind: Kind
    /// What a person can do about it, as the end of a sentence that begins with `help:`; nil where nothing can be said.
    public let help: String?
    /// What the other side said, as it said it: the body of a failed answer. Traces, envelopes and logs show the beginning, on one line and
    /// with secrets masked; give more than that, so that no secret is cut in two. Nil where it said nothing.
    public var detail: String?
    /// Whether the other side was not reached at all: no connection, no address for its name, no way to it.
    public var isUnreached = false
    /// What happened below, where there is more to know.
    public let cause: (any Error)?
    /// Whether and when another try makes sense, for the `retry` of a tier. A request that was rejected or not sent is not tried again, unless
    /// you say otherwise; any other is.
    public var retry: RetryAdvice

    /// A failure with `reason`.
    ///
    /// - Parameter help: the concrete edit, where one is known: ``help``.
    public init(_ reason: String, help: String? = nil, cause: (any Error)? = nil) {
        self.init(reason, kind: .failure, help: help, cause: cause)
    }

    /// A copy or an answer that is there and cannot be used.
    public init(invalid reason: String, cause: (any Error)? = nil) {
        self.init(reason, kind: .invalid, cause: cause)
    }

    /// A time limit of the source's own ended it.
    ///
    /// - Parameter help: the concrete edit, where one is known: ``help``.
    public init(timeout reason: String, help: String? = nil, cause: (any Error)? = nil) {
        self.init(reason, kind: .timeout, help: help, cause: cause)
    }

    /// It was reached and refused, as for a password that is not right.
    ///
    /// - Parameter help: the concrete edit, where it is not the credentials that are wrong: ``help``.
    public init(refused reason: String, help: String? = nil, cause: (any Error)? = nil) {
        self.init(reason, kind: .refused, help: help, cause: cause)
    }

    /// It works, and rejects this one request: no reason to skip it.
    public init(rejected reason: String, cause: (any Error)? = nil) {
        self.init(reason, kind: .rejected, cause: cause)
    }

    /// It wants to be left alone for a while, and so was not asked.
    ///
    /// - Parameter end: when it may be asked again, on the time line of ``PipelineClock/now``; nil where that is not known.
    public init(skipped reason: String, until end: Timestamp? = nil) {
        self.init(reason, kind: .skipped, cause: nil)
        if let end { retry = .never(before: end) }
    }

    /// It was not asked, for a reason on this side.
    public init(unasked reason: String) {
        self.init(reason, kind: .unasked, cause: nil)
    }

    private init(_ reason: String, kind: Kind, help: String? = nil, cause: (any Error)?) {
        self.reason = reason
        self.kind = kind
        self.help = help
        self.cause = cause
        retry =
            switch kind {
            case .rejected, .skipped, .unasked: .never
            case .failure, .invalid, .timeout, .refused: .later()
            }
    }

    /// The reason.
    public var description: String { reason }
}
