import GRDB
import Pipeline
import PipelineTesting
import Testing

/// The cases of pipelines, with a database in the middle.
@Suite(.timeLimit(.minutes(15))) struct SQLiteCaseTests {
    @Test(arguments: TierCase.order)
    func `TI-01, TI-02, TI-03, TI-04, TI-05, TI-07, NG-05 the order of tiers, over a database`(tierCase: TierCase) async throws {
        try await tierCase.play { try DatabaseMiddle($0, patience: $1) }
    }

    @Test(arguments: TierCase.writingBack)
    func `WB-01, WB-02, WB-03, WB-04, WB-05, WB-08, WB-09, WB-10, WB-11 writing back, over a database`(
        tierCase: TierCase
    ) async throws {
        try await tierCase.play { try DatabaseMiddle($0, patience: $1) }
    }

    @Test(arguments: TierCase.removing)
    func `IN-01, IN-02, IN-04, IN-06, IN-07, IN-09, IN-10, IN-13, IN-14, IN-15 removing, over a database`(
        tierCase: TierCase
    ) async throws {
        try await tierCase.play { try DatabaseMiddle($0, patience: $1) }
    }

    @Test func `TI-07 a row that no cache wrote is invalid, passed over, and replaced`() async throws {
        let time = ManualClock()
        let disk = try DatabaseMiddle(time)
        let scene = try TierScene(over: disk, time: time)
        try await scene.hold("[1]")
        try disk.withDatabase { try $0.execute(sql: "UPDATE entries SET size = 7") }

        let outcome = try await scene.fetch()

        #expect(outcome.trace == "memory: miss, disk: invalid, network: hit")
        #expect(try await scene.diskText() == "[\"v1\"]")
    }

    @Test func `WB-10 write_back none makes no database`() async throws {
        let time = ManualClock()
        let disk = try DatabaseMiddle(time)

        try await TierScene("write_back: none\ntiers: [memory, disk, network]", over: disk, time: time).fetch()

        #expect(try disk.folder.contents() == [])
    }
}
