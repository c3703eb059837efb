import PipelineTesting
import Testing

@testable import Pipeline

@Suite struct AlarmBookTests {
    private var book = AlarmBook<String>()

    private func moment(_ second: Int64) -> Timestamp { Timestamp(nanoseconds: second * 1_000_000_000) }

    @Test mutating func `alarms ring in the order of their moments, and those of one moment as they were set`() {
        for (ring, second) in [("c", 3), ("a", 1), ("b1", 2), ("d", 4), ("b2", 2), ("b3", 2)] as [(String, Int64)] {
            _ = book.set(ring, at: moment(second))
        }
        let number = book.sleep?.number ?? 0

        let first = book.wake(number, at: moment(3))
        let second = book.wake(number, at: moment(4))

        #expect(first.due == ["a", "b1", "b2", "b3", "c"])
        #expect(first.next == moment(4))
        #expect(second.due == ["d"])
        #expect(second.next == nil)
        #expect(book.sleep == nil)
        #expect(book.count == 0)
    }

    @Test mutating func `the sleeper is replaced for an earlier alarm alone`() {
        let first = book.set("10", at: moment(10)).sleep
        let later = book.set("11", at: moment(11)).sleep
        let equal = book.set("10 again", at: moment(10)).sleep
        let earlier = book.set("9", at: moment(9)).sleep

        #expect(first?.until == moment(10))
        #expect(later == nil)
        #expect(equal == nil)
        #expect(earlier?.until == moment(9))
        #expect(earlier?.number != first?.number)
        let replaced = book.wake(first?.number ?? 0, at: moment(10))
        #expect(replaced.due == [])
        #expect(replaced.next == nil)
        #expect(book.wake(earlier?.number ?? 0, at: moment(9)).next == moment(10))
    }

    @Test mutating func `an alarm that was cancelled does not ring, and its sleeper goes on with the next`() {
        let (alarm, sleep) = book.set("1", at: moment(1))
        _ = book.set("2", at: moment(2))

        #expect(book.cancel(alarm) == "1")
        #expect(book.cancel(alarm) == nil)
        // The sleep until the first second goes on: an alarm in between has a sleeper already.
        #expect(book.set("1.5", at: moment(1) + .milliseconds(500)).sleep == nil)
        let fruitless = book.wake(sleep?.number ?? 0, at: moment(1))
        #expect(fruitless.due == [])
        #expect(fruitless.next == moment(1) + .milliseconds(500))
        #expect(book.wake(sleep?.number ?? 0, at: moment(2)).due == ["1.5", "2"])
    }

    @Test mutating func `an alarm that is set when there is no sleeper any more gets one`() {
        let (alarm, sleep) = book.set("1", at: moment(1))
        _ = book.cancel(alarm)
        #expect(book.wake(sleep?.number ?? 0, at: moment(1)).next == nil)

        #expect(book.set("2", at: moment(2)).sleep?.until == moment(2))
    }

    @Test mutating func `after a sleep that failed the next alarm gets a sleeper for all`() {
        let sleep = book.set("1", at: moment(1)).sleep
        book.fail(sleep?.number ?? 0)

        let next = book.set("2", at: moment(2)).sleep

        #expect(next?.until == moment(1))
        book.fail(sleep?.number ?? 0)
        #expect(book.sleep == next)
        #expect(book.wake(next?.number ?? 0, at: moment(2)).due == ["1", "2"])
    }

    @Test(arguments: [1, 100]) mutating func `what is kept goes by the alarms that are set, not by those that were`(atOnce: Int) {
        _ = book.set("stays", at: .distantFuture)
        var largest = 0
        for round in 0..<10_000 {
            let alarms = (0..<atOnce).map { book.set("\($0)", at: moment(Int64(round))).alarm }
            for alarm in alarms { _ = book.cancel(alarm) }
            largest = max(largest, book.size)
        }

        #expect(book.count == 1)
        #expect(book.size <= 2 + 16)
        #expect(largest <= 2 * atOnce + 20)
    }

    @Test(arguments: 0..<10 as Range<UInt64>) mutating func `whatever is set and cancelled, what is due rings once and in order`(
        seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        var set: [(alarm: Alarm, moment: Timestamp, ring: String)] = []
        var now = moment(0)
        for number in 0..<1_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let moment = now + .seconds(Int64.random(in: -2...50, using: &random))
                let (alarm, sleep) = book.set("\(number)", at: moment)
                set.append((alarm, moment, "\(number)"))
                if let sleep { #expect(sleep.until == set.map(\.moment).min()) }
            case 5..<8:
                guard let index = set.indices.randomElement(using: &random) else { continue }
                #expect(book.cancel(set[index].alarm) == set[index].ring)
                set.remove(at: index)
            default:
                now = now + .seconds(Int64.random(in: 0...20, using: &random))
                guard let sleep = book.sleep else { continue }
                let (due, next) = book.wake(sleep.number, at: now)
                let expected = set.filter { $0.moment <= now }.sorted { ($0.moment, $0.alarm.number) < ($1.moment, $1.alarm.number) }
                #expect(due == expected.map(\.ring))
                set.removeAll { $0.moment <= now }
                #expect(next == set.map(\.moment).min())
            }
            #expect(book.count == set.count)
            // None is forgotten: a task sleeps, until no later than the first.
            if let first = set.map(\.moment).min() { #expect(book.sleep.map { $0.until <= first } == true) }
        }
    }
}
