import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

@Suite final class AlarmSlotTests {
    private let time = ManualClock()
    private let rung = Tally()
    private let slot = Mutex(AlarmSlot())

    private func set(_ name: String, by seconds: Int) {
        let moment = time.now + .seconds(seconds)
        slot.withLock { $0.set(by: moment, on: time.clock) { [rung] _ in rung.add(name) } }
    }

    private func set(_ name: String, at seconds: Int?) {
        let moment = seconds.map { time.now + .seconds($0) }
        slot.withLock { $0.set(at: moment, on: time.clock) { [rung] _ in rung.add(name) } }
    }

    @Test func `the earliest of the moments by which it is wanted takes the place of the others`() {
        for seconds in [50, 80, 20, 20, 60] { set("\(seconds)", by: seconds) }

        time.advance(by: .seconds(100))

        #expect(rung.names == ["20"])
        #expect(time.sleeperCount == 0)
    }

    @Test func `after it has rung, a later moment is kept`() {
        set("first", by: 20)
        time.advance(by: .seconds(20))
        slot.withLock { $0.end(time.now) }
        set("second", by: 30)

        time.advance(by: .seconds(30))

        #expect(rung.names == ["first", "second"])
    }

    @Test func `another moment takes its place, also a later one, and the same one changes nothing`() {
        set("early", at: 10)
        set("late", at: 40)
        set("again", at: 40)

        time.advance(by: .seconds(39))
        #expect(rung.names.isEmpty)
        time.advance(by: .seconds(1))

        #expect(rung.names == ["late"])
    }

    @Test func `without a moment, and once cancelled, nothing rings`() {
        set("one", at: 10)
        set("none", at: nil)
        set("two", by: 10)
        slot.withLock { $0.cancel(on: time.clock) }

        #expect(time.sleeperCount == 0)
        time.advance(by: .seconds(10))

        #expect(rung.names.isEmpty)
        #expect(slot.withLock(\.moment) == nil)
    }

    @Test func `one that rings when another has taken its place does not forget that`() {
        let early = time.now + .seconds(10)
        set("early", by: 10)
        set("late", at: 40)

        slot.withLock { $0.end(early) }
        set("again", at: 40)

        #expect(time.sleeperCount == 1)
    }
}
