/// The reason why a source could not answer, in words for the person who reads the trace.
public struct SourceError: Error, Sendable, CustomStringConvertible {
    /// The kind that the attempt counts as.
    ///
    /// New cases may come: switch with a `default`.
    public enum Kind: Sendable, Hashable {
        /// The source could not answer: `error`.
        case failure
        /// There is an answer or a copy, and it cannot be used, such as a torn file: `invalid`.
        case invalid
        /// A time limit of the source's own ended it: `timeout`.
        case timeout
        /// The source was reached and refused: a password, a token, a schema is not right. Counts as `error`.
        case refused
        /// The source works, and does not take this one request, such as for a key that it finds invalid: `error`. Another request may do
        /// better, and so a circuit breaker takes it for a proof that the source is well.
        case rejected
        /// The source was not asked, since it wants to be left alone for a while: `skipped`. No circuit breaker counts it.
        case skipped
        /// The source was not asked for a reason on this side, such as too many requests that wait already: `error`. No circuit breaker
        /// counts it.
        case unasked
        /// A write found no room within the bounds of a cache, which has forgotten what it held for the key: the write counts as `skipped` and
        /// not as failed. The reason ends a sentence: `larger than max_bytes (1MB)`. Only writes throw it.
        case notKept
    }

    /// A sentence part, lower case, without a full stop: `status 503 from api.example.org`.
    public let reason: String
    /// The kind that the attempt counts as.
    public let kind: Kind
    /// The advice for a person, as the end of a sentence that begins with `help:`; nil if nothing can be said.
    public let help: String?
    /// The words of the other side, as it said them: the body of a failed answer, or one that is no value. Traces, envelopes and logs show
    /// the beginning, on one line and with secrets masked; give more than that, so that no secret is cut in two. Nil if it said nothing.
    public var detail: String?
    /// Indicates whether the other side was not reached at all: no connection, no address for its name, no way to it.
    public var isUnreached = false
    /// The status of an HTTP answer that is no value; nil if the failure is not one of those.
    public var status: Int?
    /// The error below, if there is more to know.
    public let cause: (any Error)?
    /// The advice on whether and when another try makes sense, for the `retry` of a tier. A request that was rejected or not sent, and a
    /// write that is not kept, are not tried again, unless you say otherwise; any other is.
    public var retry: RetryAdvice

    /// An error of this kind.
    ///
    /// - Parameters:
    ///   - reason: a sentence part, lower case, without a full stop: ``reason``.
    ///   - kind: what the attempt counts as.
    ///   - help: the concrete edit, where one is known: ``help``.
    ///   - cause: what happened below.
    ///   - retry: whether and when another try makes sense; nil for what the kind says: ``retry``.
    public init(
        _ reason: String, kind: Kind = .failure, help: String? = nil, cause: (any Error)? = nil, retry: RetryAdvice? = nil
    ) {
        self.reason = reason
        self.kind = kind
        self.help = help
        self.cause = cause
        self.retry =
            switch kind {
            case .rejected, .skipped, .unasked, .notKept: retry ?? .never()
            case .failure, .invalid, .timeout, .refused: retry ?? .later()
            }
    }

    /// The reason.
    public var description: String { reason }
}

extension SourceError {
    /// As much of a payload that cannot be used as a ``detail`` needs: far more than is shown.
    package static func detail(of payload: [UInt8]) -> String { String(decoding: payload.prefix(64 << 10), as: UTF8.self) }

    /// The error of a write to a cache with these bounds that leave no room for the entry.
    package static func notKept(within maxEntries: Int?, _ maxBytes: Size?) -> SourceError {
        SourceError(maxEntries == 0 ? "max_entries is 0" : "larger than max_bytes (\(maxBytes?.spelling ?? ""))", kind: .notKept)
    }
}
