import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

/// The wall clock's corrections, for what leaves the process and for what stays.
@Suite struct WallCorrectionTests {
    private let time = ManualClock()

    @Test(arguments: [Duration.seconds(7_200), .seconds(-7_200), .milliseconds(10), .milliseconds(-10)])
    func `what leaves the process follows a correction, and the time line does not`(step: Duration) {
        let before = time.now
        let entry = Entry([], created: before, stored: before, freshUntil: before + .seconds(60))

        time.stepWall(by: step)

        #expect(time.now == before)
        #expect(time.clock.wallTime(of: before) == before + step)
        #expect(time.clock.moment(ofWallTime: before + step) == before)
        let stored = time.clock.stored(entry)
        #expect(stored == Entry([], created: before + step, stored: before + step, freshUntil: before + step + .seconds(60)))
        #expect(time.clock.restored(stored) == entry)
        #expect(time.clock.wallNow == time.clock.wall())
    }

    @Test(arguments: [Duration.milliseconds(9), .microseconds(-50)])
    func `what reading two clocks comes to is no correction`(step: Duration) {
        let before = time.now

        time.stepWall(by: step)

        #expect(time.clock.wallTime(of: before) == before)
    }

    @Test func `never and always stay what they are, and no time overflows`() {
        let endless = Entry([], created: .distantPast, freshUntil: .distantFuture)
        let late = Entry([], created: Timestamp(nanoseconds: .max - 1), stored: Timestamp(nanoseconds: .min + 1))

        for step in [Duration.seconds(3_600), .seconds(-7_200)] {
            time.stepWall(by: step)
            #expect(time.clock.stored(endless) == endless)
            #expect(time.clock.restored(endless) == endless)
            _ = (time.clock.stored(late), time.clock.restored(late))
        }
    }

    @Test func `a reading that a busy machine held up is tried again`() {
        let machine = Machine()
        let clock = PipelineClock(
            wall: {
                // The thread loses its turn after the first reading of the monotonic clock.
                machine.state.withLock { state in
                    if state.slowReadings > 0 {
                        state.slowReadings -= 1
                        state.elapsed += 50_000_000
                    }
                    return Timestamp(nanoseconds: state.wall + state.elapsed)
                }
            }, monotonic: { .nanoseconds(machine.state.withLock(\.elapsed)) }, sleep: { _ in })

        machine.state.withLock { $0.slowReadings = 2 }
        #expect(clock.wallOffset == 0)
        machine.state.withLock { $0.slowReadings = 100 }
        #expect(clock.wallOffset == 0)
        machine.state.withLock { state in
            state.slowReadings = 0
            state.wall += 3_600_000_000_000
        }
        #expect(clock.wallOffset == 3_600_000_000_000)
    }

    /// Two clocks, and how often the thread is held up between reading them.
    private final class Machine: Sendable {
        let state = Mutex((wall: Int64(1_000_000_000), elapsed: Int64(0), slowReadings: 0))
    }

    @Test func `the machine's clocks agree until one is corrected`() {
        #expect(PipelineClock.system.wallOffset == 0)
        let difference = PipelineClock.system.wall().duration(since: PipelineClock.system.wallNow)
        #expect(abs(difference.saturatedNanoseconds) < 1_000_000_000)
    }
}
