import Pipeline
import PipelineNetwork
import PipelineTesting
import Synchronization
import TestSupport
import Testing

/// The controller with its waiting tasks, on a clock that the test moves.
@Suite
struct OriginControllerTests {
    private let time = ManualClock()
    private let controllers = OriginControllers(random: .seeded(1))
    private let id = OriginID(scheme: "https", host: "api.example.org", port: 443)

    private func controller(_ limits: OriginLimits) -> OriginController {
        controllers.controller(for: id, limits: limits, clock: time.clock)
    }

    @Test
    func `a request waits until another one has ended`() async throws {
        let controller = controller(OriginLimits(concurrency: .fixed(1)))
        let first = try await controller.begin()
        let second = Task { try await controller.begin() }
        try await yieldUntil { controller.snapshot.waiting != 0 }

        first.head(status: 200)
        first.end(.answered)

        let permit = try await second.value
        #expect(controller.snapshot.underWay == 1)
        permit.end(.answered)
        #expect(controller.snapshot.underWay == 0)
    }

    @Test
    func `a permit that is dropped is given back`() async throws {
        let controller = controller(OriginLimits(concurrency: .fixed(1)))

        do { _ = try await controller.begin() }

        #expect(controller.snapshot.underWay == 0)
    }

    @Test
    func `NC-31 two sources share one controller and keep to the strictest limits, until one has gone`() async throws {
        let one = controller(OriginLimits(concurrency: .fixed(3)))
        var other: OriginController? = controller(OriginLimits(concurrency: .fixed(2)))
        let elsewhere = controllers.controller(
            for: OriginID(scheme: "http", host: "api.example.org", port: 443), limits: OriginLimits(), clock: time.clock)

        #expect(one.snapshot.limit == 2)
        #expect(elsewhere.snapshot.limit == 6)
        _ = other
        other = nil
        #expect(one.snapshot.limit == 3)
    }

    @Test
    func `when the network changed, the limits begin again`() async throws {
        let controller = controller(OriginLimits())
        for _ in 0..<20 {
            var permits: [RequestPermit] = []
            for _ in 0..<controller.snapshot.limit { permits.append(try await controller.begin()) }
            time.advance(by: .milliseconds(10))
            for permit in permits {
                permit.head(status: 200)
                permit.end(.answered)
            }
        }
        #expect(controller.snapshot.limit > 6)

        controllers.networkChanged()

        #expect(controller.snapshot.limit == 6)
    }

    @Test
    func `a budget of 0 allows no retry`() async throws {
        let none = controller(OriginLimits(retryBudget: 0))

        #expect(!none.retryToken())
        #expect(none.snapshot.budget == 0)
    }

    @Test
    func `one origin rests, another one is asked`() async throws {
        let resting = controller(OriginLimits())
        let other = controllers.controller(for: OriginID(scheme: "https", host: "b.example.org", port: 443), clock: time.clock)

        resting.rest(until: time.now + .seconds(5))

        await #expect(throws: RequestRefusal.self) { try await resting.begin() }
        try await other.begin().end(.answered)
        #expect(controllers.snapshots.map(\.origin.host) == ["api.example.org", "b.example.org"])
    }

    @Test
    func `a change of the limit and a rest are events`() async throws {
        let seen = Mutex<[OriginEvent]>([])
        let number = controllers.observe { _, event in seen.withLock { $0.append(event) } }
        let controller = controller(OriginLimits(concurrency: .fixed(3)))

        controller.rest(until: time.now + .seconds(5))
        controllers.stopObserving(number)
        controller.rest(until: time.now + .seconds(9))

        #expect(seen.withLock(\.self) == [.limited(to: 3), .rested(until: time.now + .seconds(5)), .limited(to: 1)])
    }

    @Test
    func `NC-20 a resting origin refuses at once, and says how long it was asked to wait`() async throws {
        let controller = controller(OriginLimits())
        let permit = try await controller.begin()
        permit.head(status: 429, retryAfter: .seconds(10))
        permit.end(.answered)

        await #expect(throws: RequestRefusal.resting(until: time.now + .seconds(10), left: .seconds(10))) { try await controller.begin() }
        time.advance(by: .milliseconds(1_500))
        let refusal = await #expect(throws: RequestRefusal.self) { try await controller.begin() }
        #expect(refusal?.description == "asked to wait 9s")
    }

    @Test
    func `a rest for which the origin named no time says what it follows`() async throws {
        let controller = controller(OriginLimits())
        for _ in 0..<3 {
            let permit = try await controller.begin()
            permit.head(status: 503)
            permit.end(.answered)
        }

        let refusal = await #expect(throws: RequestRefusal.self) { try await controller.begin() }
        #expect(refusal?.description.wholeMatch(of: /rests for [0-9]+m?s after a 503/) != nil, "\(refusal as Any)")
        controller.rest(until: time.now + .seconds(20))
        let named = await #expect(throws: RequestRefusal.self) { try await controller.begin() }
        #expect(named?.description == "asked to wait 20s")
    }

    @Test
    func `CB-08 a burst begins at once, and the rest at the rate and in order`() async throws {
        let controller = controller(OriginLimits(concurrency: .fixed(100), rate: 10, burst: 2))
        _ = try await controller.begin()
        _ = try await controller.begin()
        let third = Task { try await controller.begin() }
        await time.sleepers(atLeast: 1)

        time.advance(by: .milliseconds(99))
        #expect(controller.snapshot.waiting == 1)
        time.advance(by: .milliseconds(1))

        _ = try await third.value
        #expect(time.sleeperCount == 0)
    }

    @Test
    func `a request whose turn does not come is refused just before its deadline`() async throws {
        let controller = controller(OriginLimits(concurrency: .fixed(1)))
        let first = try await controller.begin()
        let second = Task { try await controller.begin(RequestDemand(deadline: time.now + .seconds(1))) }
        await time.sleepers(atLeast: 1)

        time.advance(by: .milliseconds(989))
        #expect(controller.snapshot.waiting == 1)
        time.advance(by: .milliseconds(1))

        let refusal = await #expect(throws: RequestRefusal.self) { try await second.value }
        #expect(refusal == .outOfTime(waited: .milliseconds(990)))
        #expect(refusal?.description == "not sent: waited 990ms for its turn")
        #expect(controller.snapshot.waiting == 0)
        #expect(controller.snapshot.refused == 1)
        first.end(.answered)
        #expect(controller.snapshot.underWay == 0)
        #expect(time.sleeperCount == 0)
    }

    @Test
    func `a request that the rate lets begin only after its deadline is refused at once, and takes no token`() async throws {
        let controller = controller(OriginLimits(rate: 1.0 / 60))
        try await controller.begin().end(.answered)
        time.advance(by: .seconds(1))

        let refusal = await #expect(throws: RequestRefusal.self) {
            try await controller.begin(RequestDemand(deadline: time.now + .seconds(8)))
        }
        #expect(refusal?.description == "`rate` lets it begin in 59s, 8s is left")

        // One waits for the next token, and so another one for the one after it.
        let patient = Task { try await controller.begin(RequestDemand(deadline: time.now + .seconds(90))) }
        try await yieldUntil { controller.snapshot.waiting != 0 }
        let next = await #expect(throws: RequestRefusal.self) {
            try await controller.begin(RequestDemand(deadline: time.now + .seconds(90)))
        }
        #expect(next?.description == "`rate` lets it begin in 1m59s, 1m30s is left")
        time.advance(by: .seconds(59))
        try await patient.value.end(.answered)
    }
}
