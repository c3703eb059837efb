import Pipeline
import PipelineTesting
import Testing

/// The cases of pipelines, with a server in the middle.
@Suite(.timeLimit(.minutes(15)))
struct RedisCaseTests {
    private func play(_ tierCase: TierCase) async throws {
        try await RedisServer.run { server async throws in
            try await tierCase.play { time, _ in ServerMiddle(server: server, time: time) }
        }
    }

    @Test(arguments: TierCase.order)
    func `TI-01, TI-02, TI-03, TI-04, TI-05, TI-07, NG-05 the order of tiers, over a server`(tierCase: TierCase) async throws {
        try await play(tierCase)
    }

    @Test(arguments: TierCase.writingBack)
    func `WB-01, WB-02, WB-03, WB-04, WB-05, WB-08, WB-09, WB-10, WB-11 writing back, over a server`(
        tierCase: TierCase
    ) async throws {
        try await play(tierCase)
    }

    @Test(arguments: TierCase.removing)
    func `IN-01, IN-02, IN-04, IN-06, IN-07, IN-09, IN-10, IN-13, IN-14, IN-15 removing, over a server`(
        tierCase: TierCase
    ) async throws {
        try await play(tierCase)
    }
}
