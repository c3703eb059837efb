public import Pipeline
import Synchronization

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

    /// The present state of the origin.
    public var snapshot: OriginSnapshot { origin.snapshot }

    /// Waits until the request may be sent. Cancelled while it waits it leaves nothing behind: no permit, no token, no place in the queue.
    ///
    /// - Throws: ``RequestRefusal`` when it may not be sent, `CancellationError`.
    public func begin(_ demand: RequestDemand = RequestDemand()) async throws -> RequestPermit { try await origin.begin(demand) }

    /// Takes a retry from the budget. False when there is none left: the first failure stands.
    public func retryToken() -> Bool { origin.change { machine, _ in machine.retryToken() } }

    /// Gives back the token of a retry that is not sent.
    package func giveBackRetryToken() { origin.change { machine, _ in machine.giveBackRetryToken() } }

    /// The moment until which a request of `asker` may not be sent; nil if it may.
    public func restUntil(for asker: RequestAsker) -> Timestamp? {
        origin.change { machine, now in machine.restUntil(for: asker, at: now) }
    }

    /// Lets nobody ask the origin before this moment. At most an hour is believed.
    public func rest(until moment: Timestamp) { origin.change { machine, now in machine.rest(until: moment, at: now) } }
}

/// The controllers of a process, one for each origin.
public final class OriginControllers: Sendable {
    /// The controllers of this process.
    public static let shared = OriginControllers()

    private struct Place: Hashable {
        let origin: OriginID
        /// Clocks differ in tests alone, where each test has an origin to itself.
        let clock: ObjectIdentifier
    }

    private struct State {
        /// The origins, and the number of controllers that each has.
        var origins: [Place: (origin: Origin, controllers: Int)] = [:]
        var observers: [UInt64: @Sendable (OriginID, OriginEvent) -> Void] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let random: RandomGenerator

    /// Controllers of their own. In a program use ``shared``: an origin that has two controllers is asked twice as often.
    ///
    /// - Parameter random: decides the lengths of rests that an origin did not name.
    public init(random: RandomGenerator = .system) { self.random = random }

    /// The controller of an origin, for a source with these limits. A source keeps it; another call gives another controller of the same
    /// origin.
    public func controller(for id: OriginID, limits: OriginLimits = OriginLimits(), clock: PipelineClock) -> OriginController {
        let place = Place(origin: id, clock: ObjectIdentifier(clock.alarms))
        let seed = random.next()
        let origin = state.withLock { state in
            let known = state.origins[place]
            let origin = known?.origin ?? Origin(id, clock: clock, seed: seed) { [weak self] in self?.report($0, $1) }
            state.origins[place] = (origin, (known?.controllers ?? 0) + 1)
            return origin
        }
        return OriginController(origin, limits: origin.add(limits), of: self)
    }

    /// The present state of each origin that is in use, in the order of their names.
    public var snapshots: [OriginSnapshot] {
        state.withLock { $0.origins.values.map(\.origin) }.map(\.snapshot).sorted { $0.origin.description < $1.origin.description }
    }

    /// Begins the limits of all origins again: the machine has another network, so that what was measured may no longer hold. An app calls
    /// it where its system tells it so, as `NWPathMonitor` does.
    public func networkChanged() {
        for origin in state.withLock({ $0.origins.values.map(\.origin) }) { origin.change { machine, now in machine.restart(at: now) } }
    }

    /// Ends rests: what was refused may be asked again at once. Returns how many there were.
    ///
    /// - Parameter id: the origin that may be asked; nil for all.
    @discardableResult
    public func endRests(of id: OriginID? = nil) -> Int {
        state.withLock { $0.origins.filter { id == nil || $0.key.origin == id }.values.map(\.origin) }.reduce(0) { count, origin in
            count + origin.change { machine, now in machine.endRests(at: now) }
        }
    }

    /// Calls `body` at each event of an origin, on the thread that caused it, until ``stopObserving(_:)`` with the number that this returns.
    public func observe(_ body: @escaping @Sendable (OriginID, OriginEvent) -> Void) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = body
            return state.lastNumber
        }
    }

    /// Ends the observation of this number.
    public func stopObserving(_ number: UInt64) { state.withLock { $0.observers[number] = nil } }

    private func report(_ id: OriginID, _ event: OriginEvent) {
        for observer in state.withLock({ Array($0.observers.values) }) { observer(id, event) }
    }

    /// Withdraws the limits of a controller; with the last controller the origin goes.
    func remove(_ limits: Int, of origin: Origin) {
        origin.removeLimits(limits)
        let place = Place(origin: origin.id, clock: ObjectIdentifier(origin.clock.alarms))
        state.withLock { state in
            guard let known = state.origins[place] else { return }
            state.origins[place] = known.controllers > 1 ? (known.origin, known.controllers - 1) : nil
        }
    }
}

/// The destination of requests: a scheme, a host and a port. All measurements and limits belong to one destination.
public struct OriginID: Hashable, Sendable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// The host's name or address, in lower case.
    public let host: String
    /// The port, also where the URL left it out.
    public let port: Int

    /// The origin of a URL of these parts.
    public init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port
    }

    /// `https://api.example.org`, with the port where it is not the scheme's own.
    public var description: String {
        let isUsual = port == (scheme == "https" ? 443 : 80)
        let host = host.contains(":") ? "[\(host)]" : host
        return isUsual ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}

/// An action of a controller about its origin that a person may want to know.
public enum OriginEvent: Hashable, Sendable {
    /// The origin is not asked before this moment, or the source of this name does not ask it.
    case rested(until: Timestamp, source: String? = nil)
    /// The limit of requests under way changed.
    case limited(to: Int)
    /// Hardly any second request was faster: none is sent before this moment.
    case hedgingPaused(until: Timestamp)
}

/// The state of an origin, as its controller knows it, at one moment.
public struct OriginSnapshot: Hashable, Sendable {
    /// The origin.
    public let origin: OriginID
    /// The number of requests that may be under way at once.
    public let limit: Int
    /// The number of requests that are under way.
    public let underWay: Int
    /// The number of requests that wait for a permit.
    public let waiting: Int
    /// The moment until which the origin is not asked; nil if it is.
    public let restUntil: Timestamp?
    /// The moments until which sources rest that do not ask the origin with some of their credentials, or at all; of each the last.
    public let sourceRests: [String: Timestamp]
    /// The median of the last 200 times from permit to the end of an answer; nil before the first.
    public let p50: Duration?
    /// The 95th percentile of the latencies.
    public let p95: Duration?
    /// The share of failures among the last 100 requests; nil before the first.
    public let errors: Double?
    /// The number of retries and hedges that are left in the budget.
    public let budget: Double
    /// The number of requests that have begun, hedges included.
    public let begun: Int
    /// The number of requests that got no permit.
    public let refused: Int
    /// The number of second requests that were sent.
    public let hedges: Int
    /// The number of second requests that were faster than the first.
    public let hedgesWon: Int
}
