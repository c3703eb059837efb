public import Pipeline
import Synchronization

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
        /// With how many controllers each has.
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

    /// What is known of each origin that is in use, in the order of their names.
    public var snapshots: [OriginSnapshot] {
        state.withLock { $0.origins.values.map(\.origin) }.map(\.snapshot).sorted { $0.origin.description < $1.origin.description }
    }

    /// The machine has another network, so that what was measured may no longer hold: the limits of all origins begin again. An app calls it
    /// where its system tells it so, as `NWPathMonitor` does.
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
