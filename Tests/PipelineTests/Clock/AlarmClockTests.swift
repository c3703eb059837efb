import PipelineTesting
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

/// Alarms over the sleep of a manual clock, which rang, and how often a task slept.
private final class AlarmScene: Sendable {
    let time = ManualClock()
    let alarms: AlarmClock
    private let sleeps: Tally
    private let rings = Tally()

    init() {
        let (time, sleeps) = (time, Tally())
        self.sleeps = sleeps
        alarms = AlarmClock(now: { time.now }) {
            sleeps.add("")
            try await time.clock.sleep(for: $0)
        }
    }

    /// Who has rung, in order.
    var rung: [String] { rings.names }
    /// How many sleeps were begun.
    var sleepCount: Int { sleeps.names.count }

    @discardableResult
    func set(_ name: String, after duration: Duration) -> Alarm {
        alarms.set(at: time.now + duration) { [rings] in rings.add(name) }
    }

    func rung(atLeast count: Int) async throws {
        try await yieldUntil { rung.count >= count }
    }

    /// Returns when so many have rung and no task sleeps any more.
    func end(rung count: Int = 0) async throws {
        try await rung(atLeast: count)
        try await yieldUntil { !alarms.isSleeping && time.sleeperCount == 0 }
    }
}

final class Tally: Sendable {
    private let state = Mutex([String]())

    var names: [String] { state.withLock { $0 } }

    func add(_ name: String) { state.withLock { $0.append(name) } }
}

@Suite struct AlarmClockTests {
    @Test func `an alarm rings at its moment, not before, and no task sleeps after the last`() async throws {
        let scene = AlarmScene()
        scene.set("one", after: .seconds(1))
        scene.set("two", after: .seconds(2))
        await scene.time.sleepers(atLeast: 1)

        scene.time.advance(by: .milliseconds(999))
        #expect(scene.time.sleeperCount == 1)
        scene.time.advance(by: .milliseconds(1))
        try await scene.rung(atLeast: 1)
        #expect(scene.rung == ["one"])
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .seconds(1))
        try await scene.end(rung: 2)

        #expect(scene.rung == ["one", "two"])
        #expect(scene.alarms.count == 0)
        #expect(scene.sleepCount == 2)
    }

    @Test func `one task sleeps for a thousand alarms`() async throws {
        let scene = AlarmScene()
        for number in 1...1_000 { scene.set("\(number)", after: .milliseconds(number)) }
        await scene.time.sleepers(atLeast: 1)

        #expect(scene.sleepCount == 1)
        scene.time.advance(by: .seconds(1))
        try await scene.end(rung: 1_000)

        #expect(scene.rung == (1...1_000).map(String.init))
        #expect(scene.sleepCount == 1)
    }

    @Test func `an earlier alarm takes the place of who sleeps, and both ring`() async throws {
        let scene = AlarmScene()
        for seconds in (1...20).reversed() { scene.set("\(seconds)", after: .seconds(seconds)) }

        // A task that is about to sleep may have looked at the clock before it was moved: it is moved until all have rung.
        while scene.rung.count < 20 {
            scene.time.advance(by: .milliseconds(100))
            await Task.yield()
        }
        try await scene.end()

        #expect(scene.rung == (1...20).map(String.init))
    }

    @Test func `waits that end before their limit, one after the other, have one task sleep`() async throws {
        let scene = AlarmScene()
        for number in 0..<1_000 { scene.alarms.cancel(scene.set("\(number)", after: .seconds(1))) }
        await scene.time.sleepers(atLeast: 1)

        #expect(scene.alarms.count == 0)
        #expect(scene.alarms.size <= 16)
        #expect(scene.sleepCount == 1)
        scene.time.advance(by: .seconds(1))
        try await scene.end()
        #expect(scene.rung.isEmpty)
        #expect(scene.sleepCount == 1)
    }

    @Test func `a ring may set another alarm`() async throws {
        let scene = AlarmScene()
        let chain = Tally()
        @Sendable func set(_ left: Int) {
            _ = scene.alarms.set(at: scene.time.now + .seconds(1)) {
                chain.add("\(left)")
                if left > 0 { set(left - 1) }
            }
        }
        set(3)

        for rung in 1...4 {
            await scene.time.sleepers(atLeast: 1)
            scene.time.advance(by: .seconds(1))
            try await yieldUntil { chain.names.count >= rung }
        }
        try await scene.end()

        #expect(chain.names == ["3", "2", "1", "0"])
    }

    @Test func `an alarm for a moment that has come rings soon, and not while it is set`() async throws {
        let scene = AlarmScene()
        let order = Tally()
        let setting = Mutex(())

        // A ring that came within would never get the lock.
        setting.withLock { _ in
            _ = scene.alarms.set(at: scene.time.now - .seconds(1)) { setting.withLock { _ in order.add("rung") } }
            order.add("set")
        }
        try await yieldUntil { order.names.count >= 2 }
        try await scene.end()

        #expect(order.names == ["set", "rung"])
    }

    @Test func `what an alarm held is let go of when it is cancelled, and when it has rung`() async throws {
        final class Held: Sendable {}
        let scene = AlarmScene()
        weak var cancelled: Held?
        weak var rung: Held?
        func set() -> Alarm {
            let (one, other) = (Held(), Held())
            (cancelled, rung) = (one, other)
            _ = scene.alarms.set(at: scene.time.now + .seconds(1)) { withExtendedLifetime(other) {} }
            return scene.alarms.set(at: scene.time.now + .seconds(2)) { withExtendedLifetime(one) {} }
        }
        let alarm = set()
        #expect(cancelled != nil)
        #expect(rung != nil)

        scene.alarms.cancel(alarm)
        #expect(cancelled == nil)
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .seconds(1))
        try await yieldUntil { rung == nil }
        try await scene.end()
    }

    @Test func `a step of the wall clock rings nothing and holds up nothing`() async throws {
        let scene = AlarmScene()
        scene.set("one", after: .seconds(10))
        await scene.time.sleepers(atLeast: 1)

        scene.time.stepWall(by: .seconds(3_600))
        #expect(scene.time.sleeperCount == 1)
        scene.time.stepWall(by: .seconds(-7_200))
        scene.time.advance(by: .seconds(10))
        try await scene.end(rung: 1)

        #expect(scene.rung == ["one"])
    }

    @Test func `after a sleep that threw, the next alarm makes a task sleep for those before, too`() async throws {
        let (time, rung) = (ManualClock(), Tally())
        let isBroken = Mutex(true)
        let alarms = AlarmClock(now: { time.now }) {
            if isBroken.withLock({ $0 }) { throw CancellationError() }
            try await time.clock.sleep(for: $0)
        }
        _ = alarms.set(at: time.now + .seconds(1)) { rung.add("one") }
        try await yieldUntil { !alarms.isSleeping }
        #expect(rung.names.isEmpty)

        isBroken.withLock { $0 = false }
        _ = alarms.set(at: time.now + .seconds(2)) { rung.add("two") }
        await time.sleepers(atLeast: 1)
        time.advance(by: .seconds(1))
        try await yieldUntil { !rung.names.isEmpty }
        await time.sleepers(atLeast: 1)
        time.advance(by: .seconds(1))
        try await yieldUntil { rung.names.count >= 2 }

        #expect(rung.names == ["one", "two"])
    }

    @Test func `an alarm that is set while time goes on rings once, also while tasks fall asleep or wake`() async throws {
        let scene = AlarmScene()
        await withTaskGroup { group in
            for setter in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        scene.set("\(setter) \(number)", after: .milliseconds(number % 3))
                        if number.isMultiple(of: 7) { await Task.yield() }
                    }
                }
            }
            group.addTask {
                while scene.rung.count < 4_000 {
                    scene.time.advance(by: .milliseconds(1))
                    await Task.yield()
                }
            }
        }
        try await scene.end(rung: 4_000)

        #expect(scene.rung.count == 4_000)
        #expect(Set(scene.rung).count == 4_000)
        #expect(scene.alarms.count == 0)
    }

    @Test func `an alarm that is cancelled while it rings rings once at most, and is gone`() async throws {
        let scene = AlarmScene()
        await withTaskGroup { group in
            for setter in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        let alarm = scene.set("\(setter) \(number)", after: .milliseconds(number % 2))
                        if number.isMultiple(of: 3) { await Task.yield() }
                        scene.alarms.cancel(alarm)
                    }
                }
            }
            group.addTask {
                for _ in 0..<500 {
                    scene.time.advance(by: .milliseconds(1))
                    await Task.yield()
                }
            }
        }
        scene.time.advance(by: .seconds(1))
        try await scene.end()

        #expect(Set(scene.rung).count == scene.rung.count)
        #expect(scene.alarms.count == 0)
    }
}

extension AlarmClockTests {
    @Test func `reads that are answered within their limit have one task sleep for all of them`() async throws {
        let (time, sleeps) = (ManualClock(), Tally())
        let clock = PipelineClock(wall: time.clock.wall, monotonic: time.clock.monotonic) {
            sleeps.add("")
            try await time.clock.sleep(for: $0)
        }
        let loader = Loader("slow") { _, _, _ in
            await Task.yield()
            return LoadReply(.none, attempts: [])
        }.timingOut(after: .seconds(5), clock: clock)

        for _ in 0..<200 { _ = try await loader(Call(Key(pipeline: "friends"))) }
        await time.sleepers(atLeast: 1)

        #expect(sleeps.names.count == 1)
        #expect((clock.alarms as? AlarmClock)?.count == 0)
    }

    @Test func `a limit is kept on a clock of one's own`() async throws {
        let time = ManualClock()
        let clock = PipelineClock(
            wall: time.clock.wall, monotonic: time.clock.monotonic, sleep: { try await time.clock.sleep(for: $0) })
        let loader = Loader("hung") { _, _, _ in
            try await Gate().wait()
            return LoadReply(.none, attempts: [])
        }.timingOut(after: .seconds(5), clock: clock)
        async let reply = loader(Call(Key(pipeline: "friends")))
        await time.sleepers(atLeast: 1)

        time.advance(by: .seconds(5))

        let attempt = try #require(try await reply.attempts.first)
        #expect(attempt.outcome == .timeout)
        #expect(attempt.duration == .seconds(5))
    }
}
