import PipelineTesting
import Testing

@testable import Pipeline

/// `limiting(to:late:_:)`: work within a time limit.
@Suite struct TimeLimitOfWorkTests {
    private let time = ManualClock()
    private let late = SourceError(timeout: "late")

    @Test func `work within its limit gives its value, and leaves no alarm behind`() async throws {
        let value = try await time.clock.limiting(to: .seconds(1), late: late) { 7 }

        #expect(value == 7)
        #expect(time.sleeperCount == 0)
    }

    @Test func `at the limit the work is cancelled, and its end waited for`() async throws {
        let (began, ended) = (Gate(), Gate())
        let work = Task { [time, late] in
            try await time.clock.limiting(to: .seconds(1), late: late) {
                began.open()
                try? await time.clock.sleep(for: .seconds(3_600))
                ended.open()
                return Task.isCancelled
            }
        }
        try await began.wait()
        await time.sleepers(atLeast: 2)
        time.advance(by: .seconds(1))

        let error = await #expect(throws: SourceError.self) { _ = try await work.value }
        #expect(error?.reason == "late")
        try await ended.wait()
        #expect(time.sleeperCount == 0)
    }

    @Test func `a caller that is cancelled leaves with its work`() async throws {
        let work = Task { [time, late] in
            try await time.clock.limiting(to: .seconds(1), late: late) { try await time.clock.sleep(for: .seconds(3_600)) }
        }
        await time.sleepers(atLeast: 2)

        work.cancel()

        await #expect(throws: CancellationError.self) { try await work.value }
        #expect(time.sleeperCount == 0)
    }

    @Test func `an error of the work comes through`() async {
        await #expect(throws: NotKept.self) {
            try await time.clock.limiting(to: .seconds(1), late: late) { throw NotKept("why") }
        }
    }

    @Test func `many limits sleep in one task`() async throws {
        let clock = PipelineClock(
            wall: PipelineClock.system.wall, monotonic: PipelineClock.system.monotonic,
            sleep: { try await sleeps.sleep(for: $0) })
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { [gate, late] in try await clock.limiting(to: .seconds(3_600), late: late) { try await gate.wait() } }
            }
            while await sleeps.count == 0 { await Task.yield() }
            for _ in 0..<1_000 { await Task.yield() }
            // More than one only where a limit was set just after one that ends later.
            #expect(await sleeps.count < 10)
            gate.open()
            try await group.waitForAll()
        }
    }

    private let gate = Gate()
    private let sleeps = Sleeps()

    private actor Sleeps {
        private(set) var count = 0

        func sleep(for duration: Duration) async throws {
            count += 1
            try await PipelineClock.system.sleep(for: duration)
        }
    }
}
