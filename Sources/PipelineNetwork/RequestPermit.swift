public import Pipeline
import Synchronization

/// The right to send one request. Report what comes of it; the permit is given back when the request ends, or when nothing holds it any more.
public final class RequestPermit: Sendable {
    private let number: RequestNumber
    private let origin: Origin
    private let policy: HedgePolicy?
    private let hasEnded = Atomic(false)

    init(_ number: RequestNumber, of origin: Origin, _ demand: RequestDemand) {
        self.number = number
        self.origin = origin
        policy = demand.hedge
    }

    private init(hedge number: RequestNumber, of origin: Origin) {
        self.number = number
        self.origin = origin
        policy = nil
    }

    deinit { end(.cancelled) }

    /// Status and headers came. 429 and 503 let the one rest who asked; see ``OriginLimits/rest``.
    ///
    /// - Parameters:
    ///   - isValue: the source takes this status for a value, so that it is neither a failure nor a wish for a rest.
    ///   - retryAfter: what `Retry-After` says, counted from now; nil if it says nothing.
    public func head(status: Int, isValue: Bool = false, retryAfter: Duration? = nil) {
        origin.change { machine, now in machine.head(number, status: status, isValue: isValue, retryAfter: retryAfter, at: now) }
    }

    /// Lets the origin not be asked for so long, as it says in the answer to this request, such as with `RateLimit: r=0`. At most an hour
    /// is believed.
    public func rest(for pause: Duration) {
        origin.change { machine, now in machine.rest(number, until: now + pause, at: now) }
    }

    /// Counts so many more bytes of the body.
    public func received(_ bytes: Int) {
        origin.change { machine, _ in machine.receive(bytes, of: number) }
    }

    /// Ends the request. Only the first call counts; without one the request counts as cancelled when the permit goes.
    ///
    /// When both requests of a hedge are given up, end the first one before the second.
    public func end(_ outcome: RequestOutcome) {
        guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        origin.change { machine, now in machine.end(number, outcome, at: now) }
    }

    /// Indicates whether ``end(_:)`` was called.
    package var isOver: Bool { hasEnded.load(ordering: .acquiring) }

    /// The time to wait for the head before ``hedge()``, counted from the permit; nil if no second request is worth it.
    public var hedgeDelay: Duration? {
        guard let policy else { return nil }
        return origin.change { machine, now in machine.hedgeDelay(policy, at: now) }
    }

    /// The permit of a second request, where one may be sent now: no head has come, a permit is free, the origin neither rests nor fails
    /// often, and the budgets allow it. Nil otherwise, and for a request without a ``RequestDemand/hedge``.
    ///
    /// The first acceptable head wins. End the other request: with ``RequestOutcome/overtaken`` the first, with
    /// ``RequestOutcome/cancelled`` the second.
    public func hedge() -> RequestPermit? {
        guard policy != nil else { return nil }
        return origin.change { machine, now in machine.hedge(number, at: now) }.map { RequestPermit(hedge: $0, of: origin) }
    }
}

/// The reason why a request got no permit. None of these is a failure of the origin, and none opens a circuit.
public enum RequestRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The request may not be sent until then: the origin asked for that, or answered others with the status `after` and named no time. The
    /// attempt is `skipped`.
    case resting(until: Timestamp, left: Duration, after: Int? = nil)
    /// The queue is full: so many requests wait already, all at least as important as this one.
    case queueFull(waiting: Int)
    /// The answer would come too late.
    case tooLate(waiting: Int, expected: Duration, left: Duration)
    /// The rate lets it begin only after its deadline.
    case paced(in: Duration, left: Duration)
    /// The turn of the request did not come before its deadline.
    case outOfTime(waited: Duration)

    /// Words for a trace, lower case: `asked to wait 19s`, `rests for 19s after a 503`.
    public var description: String {
        switch self {
        case .resting(_, let left, nil): "asked to wait \(left.roundedUp)"
        case .resting(_, let left, let status?): "rests for \(left.roundedUp) after a \(status)"
        case .queueFull(waiting: 0): "as many requests as may be are under way, and none may wait (`queue: 0`)"
        case .queueFull(let waiting): "\(Self.requests(waiting)) already, no more may"
        case .tooLate(let waiting, let expected, let left):
            "\(Self.requests(waiting)), expected \(expected.roundedUp), \(left.roundedUp) is left"
        case .paced(let wait, let left): "`rate` lets it begin in \(wait.roundedUp), \(left.roundedUp) is left"
        case .outOfTime(let waited): "not sent: waited \(waited.roundedUp) for its turn"
        }
    }

    private static func requests(_ count: Int) -> String { count == 1 ? "1 request waits" : "\(count) requests wait" }
}

/// The end of a request.
public enum RequestOutcome: Hashable, Sendable {
    /// All of the answer came, with the status that ``RequestPermit/head(status:isValue:retryAfter:)`` gave.
    case answered
    /// The connection broke, the body was cut or broken, or the attempt's time was over.
    case failed
    /// The request was surely not processed: the connection was refused, the name was not found, or the origin said so.
    case unprocessed
    /// The caller no longer needs the answer.
    case cancelled
    /// The second request of a hedge was faster.
    case overtaken
}
