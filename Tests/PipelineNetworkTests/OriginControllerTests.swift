import Pipeline
import PipelineNetwork
import PipelineTesting
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
        while controller.snapshot.waiting == 0 { await Task.yield() }

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
}
