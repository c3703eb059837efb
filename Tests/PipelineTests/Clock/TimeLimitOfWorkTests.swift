import PipelineTesting
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

/// `race(until:)`: work within a time limit.
@Suite struct TimeLimitOfWorkTests {
    private let time = ManualClock()
    private let late = SourceError("late", kind: .timeout)

    @Test func `work within its limit gives its value, and leaves no alarm behind`() async throws {
        let value = try await time.clock.race(until: time.clock.now + .seconds(1), late: { throw late }, leaving: { await $0.end() }) { 7 }

        #expect(value == 7)
        #expect(time.sleeperCount == 0)
    }

    @Test func `at the limit the work is cancelled, and its end waited for`() async throws {
        let (began, ended) = (Gate(), Gate())
        let work = Task { [time, late] in
            try await time.clock.race(until: time.clock.now + .seconds(1), late: { throw late }, leaving: { await $0.end() }) {
                () -> Bool in
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
            try await time.clock.race(until: time.clock.now + .seconds(1), late: { throw late }, leaving: { await $0.end() }) {
                try await time.clock.sleep(for: .seconds(3_600))
            }
        }
        await time.sleepers(atLeast: 2)

        work.cancel()

        await #expect(throws: CancellationError.self) { try await work.value }
        #expect(time.sleeperCount == 0)
    }

    @Test func `work that ignores its cancellation keeps no caller waiting`() async throws {
        let (began, goesOn) = (Gate(), Gate())
        let work = Task { [time, late] in
            try await time.clock.race(until: time.clock.now + .seconds(1), late: { throw late }) {
                began.open()
                await goesOn.waitIgnoringCancellation()
            }
        }
        try await began.wait()
        await time.sleepers(atLeast: 1)

        time.advance(by: .seconds(1))

        let error = await #expect(throws: SourceError.self) { try await work.value }
        #expect(error?.reason == "late")
        goesOn.open()
    }

    @Test func `a caller that is cancelled goes on at once, and its work is cancelled`() async throws {
        let (began, goesOn) = (Gate(), Gate())
        let wasCancelled = Mutex(false)
        let ended = Gate()
        let work = Task { [time, late] in
            try await time.clock.race(until: time.clock.now + .seconds(1), late: { throw late }) {
                began.open()
                await goesOn.waitIgnoringCancellation()
                wasCancelled.withLock { $0 = Task.isCancelled }
                ended.open()
            }
        }
        try await began.wait()
        await time.sleepers(atLeast: 1)

        work.cancel()

        await #expect(throws: CancellationError.self) { try await work.value }
        #expect(time.sleeperCount == 0)
        goesOn.open()
        try await ended.wait()
        #expect(wasCancelled.withLock { $0 })
    }

    @Test func `late work that its caller leaves alone goes on`() async throws {
        let (began, goesOn) = (Gate(), Gate())
        let isCancelled = Mutex<Bool?>(nil)
        let race = Task { [time] in
            var left: Task<Void, Never>?
            let value = try await time.clock.race(until: time.clock.now + .seconds(1), late: { 0 }, leaving: { left = $0 }) {
                began.open()
                try await goesOn.wait()
                isCancelled.withLock { $0 = Task.isCancelled }
                return 7
            }
            return (value, left)
        }
        try await began.wait()
        await time.sleepers(atLeast: 1)
        time.advance(by: .seconds(1))

        let (value, left) = try await race.value
        goesOn.open()
        await left?.value

        #expect(value == 0)
        #expect(isCancelled.withLock { $0 } == false)
    }

    @Test func `a value that comes too late is handed over, one in time is not`() async throws {
        let (began, goesOn, isDropped) = (Gate(), Gate(), Gate())
        let dropped = Mutex<[Int]>([])
        let drop: @Sendable (Int) async -> Void = { value in
            dropped.withLock { $0.append(value) }
            isDropped.open()
        }
        #expect(try await time.clock.race(until: time.clock.now + .seconds(1), late: { 0 }, dropping: drop) { 1 } == 1)
        let race = Task { [time] in
            try await time.clock.race(until: time.clock.now + .seconds(1), late: { 0 }, dropping: drop) {
                began.open()
                await goesOn.waitIgnoringCancellation()
                return 2
            }
        }
        try await began.wait()
        await time.sleepers(atLeast: 1)
        time.advance(by: .seconds(1))

        #expect(try await race.value == 0)
        goesOn.open()
        try await isDropped.wait()
        #expect(dropped.withLock { $0 } == [2])
    }

    @Test func `without a limit the caller does the work itself`() async throws {
        let isCancelled = try await Task { [time] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await time.clock.race(until: nil, late: { false }) { Task.isCancelled }
        }.value

        #expect(isCancelled)
    }

    @Test func `an error of the work comes through`() async {
        let error = await #expect(throws: SourceError.self) {
            try await time.clock.race(until: time.clock.now + .seconds(1), late: { throw late }, leaving: { await $0.end() }) {
                throw SourceError("why", kind: .notKept)
            }
        }
        #expect(error?.kind == .notKept)
    }

    @Test func `many limits sleep in one task`() async throws {
        let clock = PipelineClock(
            wall: PipelineClock.system.wall, monotonic: PipelineClock.system.monotonic,
            sleep: { try await sleeps.sleep(for: $0) })
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { [gate, late] in
                    try await clock.race(until: clock.now + .seconds(3_600), late: { throw late }) { try await gate.wait() }
                }
            }
            try await yieldUntil { await sleeps.count != 0 }
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

extension Gate {
    /// Waits until the gate is open, also in a task that is cancelled.
    fileprivate func waitIgnoringCancellation() async {
        // Ends when the gate opens.
        await Task { try? await wait() }.value
    }
}
