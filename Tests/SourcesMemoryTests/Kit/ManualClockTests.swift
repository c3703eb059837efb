import Pipeline
import PipelineTesting
import Synchronization
import Testing

@Suite struct ManualClockTests {
    let time = ManualClock()

    @Test func `time stands still until it is advanced`() {
        let before = time.now

        time.advance(by: .milliseconds(1_500))

        #expect(time.now.duration(since: before) == .milliseconds(1_500))
        #expect(time.clock.wall() == time.now)
    }

    @Test func `a step of the wall clock moves neither copies nor sleepers`() async throws {
        let before = time.now
        let sleeper = Task { [clock = time.clock] in try await clock.sleep(for: .seconds(10)) }
        await time.sleepers(atLeast: 1)

        time.stepWall(by: .seconds(86_400))

        #expect(time.now == before)
        #expect(time.clock.wall() == before + .seconds(86_400))
        #expect(time.sleeperCount == 1)
        time.advance(by: .seconds(10))
        try await sleeper.value
    }

    @Test func `sleepers wake in the order of their deadlines, each at its time or later`() async throws {
        let start = time.now
        let woken = WakeLog()
        try await withThrowingTaskGroup { group in
            for seconds in [3, 1, 2] {
                group.addTask { [clock = time.clock] in
                    try await clock.sleep(for: .seconds(seconds))
                    woken.note(seconds)
                    #expect(clock.now >= start + .seconds(seconds))
                }
            }
            await time.sleepers(atLeast: 3)

            for _ in 1...3 {
                time.advance(by: .seconds(1))
                try await group.next()
            }
        }

        #expect(woken.seconds == [1, 2, 3])
        #expect(time.sleeperCount == 0)
    }

    @Test func `a sleeper sleeps until exactly its deadline`() async throws {
        let sleeper = Task { [clock = time.clock] in try await clock.sleep(for: .seconds(1)) }
        await time.sleepers(atLeast: 1)

        time.advance(by: .seconds(1) - .nanoseconds(1))
        #expect(time.sleeperCount == 1)

        time.advance(by: .nanoseconds(1))
        #expect(time.sleeperCount == 0)
        try await sleeper.value
    }

    @Test func `one advance wakes all that are due`() async throws {
        let sleepers = (1...100).map { milliseconds in
            Task { [clock = time.clock] in try await clock.sleep(for: .milliseconds(milliseconds)) }
        }
        await time.sleepers(atLeast: 100)

        time.advance(by: .milliseconds(60))

        #expect(time.sleeperCount == 40)
        time.advance(by: .milliseconds(40))
        for sleeper in sleepers { try await sleeper.value }
    }

    @Test func `a cancelled sleeper wakes at once with CancellationError`() async {
        let sleeper = Task { [clock = time.clock] in try await clock.sleep(for: .seconds(10)) }
        await time.sleepers(atLeast: 1)

        sleeper.cancel()

        #expect(time.sleeperCount == 0)
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test(arguments: [Duration.seconds(1), .zero]) func `a task that is cancelled already does not sleep`(_ duration: Duration) async {
        let sleeper = Task { [clock = time.clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: duration)
        }

        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(time.sleeperCount == 0)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)]) func `no sleep for zero or less`(_ duration: Duration) async throws {
        try await time.clock.sleep(for: duration)
    }

    @Test func `waiting for sleepers ends when the waiting task is cancelled`() async {
        let waiter = Task { [time] in await time.sleepers(atLeast: 1) }

        waiter.cancel()

        await waiter.value
    }
}

private final class WakeLog: Sendable {
    private let noted = Mutex<[Int]>([])

    var seconds: [Int] { noted.withLock { $0 } }

    func note(_ seconds: Int) {
        noted.withLock { $0.append(seconds) }
    }
}
