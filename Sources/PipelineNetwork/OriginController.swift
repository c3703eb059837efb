public import Pipeline

/// The controller of one origin, as one source holds it: it decides when each request may be sent. All sources of the process that ask the
/// same origin share what it measures, and the strictest of their limits holds.
///
/// Keep it while requests may follow: its limits hold as long as it lives, and what was measured is lost with the last one.
public final class OriginController: Sendable {
    private let origin: Origin
    private let limits: Int
    private let controllers: OriginControllers

    init(_ origin: Origin, limits: Int, of controllers: OriginControllers) {
        self.origin = origin
        self.limits = limits
        self.controllers = controllers
    }

    deinit { controllers.remove(limits, of: origin) }

    /// The origin.
    public var id: OriginID { origin.id }

    /// What is known of the origin now.
    public var snapshot: OriginSnapshot { origin.snapshot }

    /// Waits until the request may be sent. Cancelled while it waits it leaves nothing behind: no permit, no token, no place in the queue.
    ///
    /// - Throws: ``RequestRefusal`` when it may not be sent, `CancellationError`.
    public func begin(_ demand: RequestDemand = RequestDemand()) async throws -> RequestPermit { try await origin.begin(demand) }

    /// Takes a retry from the budget. False when there is none left: the first failure stands.
    public func retryToken() -> Bool { origin.change { machine, _ in machine.retryToken() } }

    /// Gives back the token of a retry that is not sent.
    package func giveBackRetryToken() { origin.change { machine, _ in machine.giveBackRetryToken() } }

    /// Until when a request of `asker` may not be sent; nil when it may.
    public func restUntil(for asker: RequestAsker) -> Timestamp? {
        origin.change { machine, now in machine.restUntil(for: asker, at: now) }
    }

    /// Nobody asks the origin before this moment. At most an hour is believed.
    public func rest(until moment: Timestamp) { origin.change { machine, now in machine.rest(until: moment, at: now) } }
}
