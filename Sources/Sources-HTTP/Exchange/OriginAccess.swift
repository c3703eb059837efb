import Pipeline
import PipelineNetwork
import PipelineSockets
import Synchronization

/// The controllers of the origins that one source asks, each kept from the first request on.
final class OriginAccess: Sendable {
    /// A source whose host depends on a parameter has an origin for each value: what is known of more than these is forgotten.
    private static let most = 256

    private let limits: OriginLimits
    private let clock: PipelineClock
    private let state = Mutex(State())

    private struct State {
        var controllers: [OriginID: (controller: OriginController, lastUse: Int)] = [:]
        var uses = 0

        mutating func use(_ id: OriginID) -> OriginController? {
            uses += 1
            controllers[id]?.lastUse = uses
            return controllers[id]?.controller
        }

        /// The controller that was not used for the longest, where there are too many.
        mutating func forget() -> OriginController? {
            guard controllers.count > OriginAccess.most else { return nil }
            let oldest = controllers.min { $0.value.lastUse < $1.value.lastUse }?.key
            return oldest.flatMap { controllers.removeValue(forKey: $0)?.controller }
        }
    }

    init(_ limits: OriginLimits, clock: PipelineClock) {
        self.limits = limits
        self.clock = clock
    }

    /// The rule for whether and when `request` is sent again, and the budget that pays for that.
    func repetition(of request: OutgoingRequest, by settings: HTTPSettings, _ context: ReadContext) -> Repetition {
        Repetition(
            isAllowed: settings.mayRepeat(request.method), controller: controller(for: request.url),
            asker: request.asker(of: settings.name, optional: context.isOptional), budget: settings.limits.retryBudget)
    }

    /// Withdraws the limits of the source, which is closed.
    func close() {
        let all = state.withLock { state in
            defer { state.controllers = [:] }
            return state.controllers
        }
        withExtendedLifetime(all) {}
    }

    /// The controller of the origin that `url` leads to.
    func controller(for url: HTTPURL) -> OriginController {
        let id = OriginID(scheme: url.scheme.rawValue, host: url.hostToResolve, port: url.port)
        if let known = state.withLock({ $0.use(id) }) { return known }
        let made = OriginControllers.shared.controller(for: id, limits: limits, clock: clock)
        // What goes does so after the lock: the end of a controller takes locks of its own.
        let (controller, forgotten) = state.withLock { state -> (OriginController, OriginController?) in
            if let known = state.use(id) { return (known, made) }
            state.controllers[id] = (made, state.uses)
            return (made, state.forget())
        }
        withExtendedLifetime(forgotten) {}
        return controller
    }
}
