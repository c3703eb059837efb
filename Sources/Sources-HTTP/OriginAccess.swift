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
    private let controllers = Mutex<[OriginID: OriginController]>([:])

    init(_ limits: OriginLimits, clock: PipelineClock) {
        self.limits = limits
        self.clock = clock
    }

    /// Whether and when `request` is sent again, and what pays for that.
    func repetition(of request: OutgoingRequest, by settings: HTTPSettings) -> Repetition {
        Repetition(
            isAllowed: settings.mayRepeat(request.method), controller: controller(for: request.url), budget: settings.limits.retryBudget)
    }

    /// Withdraws the limits of the source, which is closed.
    func close() {
        let all = controllers.withLock { controllers in
            defer { controllers = [:] }
            return controllers
        }
        withExtendedLifetime(all) {}
    }

    /// The controller of the origin that `url` leads to.
    func controller(for url: HTTPURL) -> OriginController {
        let id = OriginID(scheme: url.scheme.rawValue, host: url.hostToResolve, port: url.port)
        if let known = controllers.withLock({ $0[id] }) { return known }
        let made = OriginControllers.shared.controller(for: id, limits: limits, clock: clock)
        // What goes does so after the lock: the end of a controller takes locks of its own.
        let (controller, forgotten) = controllers.withLock { controllers -> (OriginController, OriginController?) in
            if let known = controllers[id] { return (known, made) }
            let forgotten = controllers.count >= Self.most ? controllers.keys.first.flatMap { controllers.removeValue(forKey: $0) } : nil
            controllers[id] = made
            return (made, forgotten)
        }
        withExtendedLifetime(forgotten) {}
        return controller
    }
}
