internal import Pipeline
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
    ///   - retryAfter: what `Retry-After` says, counted from now; nil where it says nothing.
    public func head(status: Int, isValue: Bool = false, retryAfter: Duration? = nil) {
        origin.change { machine, now in machine.head(number, status: status, isValue: isValue, retryAfter: retryAfter, at: now) }
    }

    /// The origin says that it answers this one nothing more for so long, such as with `RateLimit: r=0`. At most an hour is believed.
    public func rest(for pause: Duration) {
        origin.change { machine, now in machine.rest(number, until: now + pause, at: now) }
    }

    /// So many more bytes of the body came.
    public func received(_ bytes: Int) {
        origin.change { machine, _ in machine.receive(bytes, of: number) }
    }

    /// The request has ended. Only the first call counts; without one the request counts as cancelled when the permit goes.
    ///
    /// When both requests of a hedge are given up, end the first one before the second.
    public func end(_ outcome: RequestOutcome) {
        guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        origin.change { machine, now in machine.end(number, outcome, at: now) }
    }

    /// Whether ``end(_:)`` was called.
    package var isOver: Bool { hasEnded.load(ordering: .acquiring) }

    /// How long to wait for the head before ``hedge()``, counted from the permit; nil when no second request is worth it.
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
