public import Pipeline

/// A source that takes writes: the target of sends.
///
/// The outbox calls ``send(_:_:)`` for one send of an order at a time, and never again for one whose end it does not know, unless
/// ``repetition`` allows it.
public protocol SendingSource: Source {
    /// Asks the origin to make the change, and returns its answer, whatever the status.
    ///
    /// Throws if there is no answer. A `SourceError` that says that the source was not reached, or of the kind `skipped`, `unasked` or
    /// `refused`, means that the origin surely has not made the change: it is tried again. After any other error it may have. Throws
    /// `CancellationError` when the task is cancelled, which counts as an error of the second kind.
    func send(_ send: OutgoingSend, _ context: ReadContext) async throws -> SendAnswer

    /// Whether a write may be repeated whose first try may have been processed. ``SendRepetition/never`` unless implemented.
    var repetition: SendRepetition { get }

    /// The longest time that a try takes. 30 s unless implemented: another process takes a try for lost after it. Must not change.
    var longestTry: Duration { get }
}

extension SendingSource {
    /// ``SendRepetition/never``.
    public var repetition: SendRepetition { .never }

    /// 30 s.
    public var longestTry: Duration { .seconds(30) }
}

extension SourceError {
    /// Indicates whether the origin of a send surely has not made the change, as a ``SendingSource`` says it.
    package var saysThatNothingWasSent: Bool {
        switch kind {
        case .skipped, .unasked, .refused: true
        case .failure, .invalid, .timeout, .rejected, .notKept: isUnreached
        }
    }
}

/// Whether a write may be repeated whose first try may have been processed.
///
/// New cases may come: switch with a `default`.
public enum SendRepetition: Sendable, Hashable {
    /// Asking twice is the same as asking once, as for a PUT (RFC 9110, section 9.2.2).
    case always
    /// The origin recognises the id of a send that it has seen, for ``SendSpec/idLifetime``.
    case byID
    /// The write might be made twice.
    case never
}

/// A send as its target is asked to make it.
public struct OutgoingSend: Sendable {
    /// The name and the arguments, for templates: its parameters are those of the send.
    public let key: Key
    /// The payload; empty for none.
    public let payload: [UInt8]
    /// The format of the payload.
    public let format: PayloadFormat
    /// The id, the same for each try.
    public let id: String
    /// The field for the id; nil if it does not go out.
    public let idHeader: IDHeader?
    /// The entity tag that the value must still have, as it stands in `If-Match`; nil for no condition.
    public let condition: String?

    /// A send.
    public init(
        _ key: Key, payload: [UInt8], format: PayloadFormat, id: String, idHeader: IDHeader? = nil, condition: String? = nil
    ) {
        (self.key, self.payload, self.format) = (key, payload, format)
        (self.id, self.idHeader, self.condition) = (id, idHeader, condition)
    }
}

/// The answer of an origin to a send.
public struct SendAnswer: Sendable, Equatable {
    /// The status, as of HTTP (RFC 9110, section 15).
    public var status: Int
    /// Indicates whether the origin has made the change, or the change was made before: 2xx, and what the source takes for that.
    public var isAccepted: Bool
    /// The body; empty for none.
    public var body: [UInt8]
    /// The entity tag of what the origin made; nil if it says none.
    public var etag: String?
    /// The URL of what the origin made, as it stands in `Location`; nil if it says none.
    public var location: String?
    /// The moment before which the origin does not want to be asked again; nil if it says none.
    public var notBefore: Timestamp?

    /// An answer of `status`.
    ///
    /// - Parameter isAccepted: nil for what the status says: 2xx is accepted.
    public init(
        status: Int, isAccepted: Bool? = nil, body: [UInt8] = [], etag: String? = nil, location: String? = nil, notBefore: Timestamp? = nil
    ) {
        self.status = status
        self.isAccepted = isAccepted ?? (200..<300).contains(status)
        (self.body, self.etag, self.location, self.notBefore) = (body, etag, location, notBefore)
    }
}
