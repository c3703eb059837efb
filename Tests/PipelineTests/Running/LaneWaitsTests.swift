import Testing

@testable import Pipeline

/// The tasks that wait until lanes have settled.
@Suite struct LaneWaitsTests {
    private let settled = WriteLane()
    private let now = Timestamp(nanoseconds: 0)

    private func key(_ number: Int) -> Key { Key(pipeline: "friends", parameters: ["user": "\(number)"]) }

    private var running: WriteLane {
        var lane = WriteLane()
        _ = lane.add(WriteLane.Operation(change: .remove), at: now)
        return lane
    }

    @Test func `a wait for many keys is over when the last has settled`() {
        var waits = LaneWaits()
        let race = Race<Void>()
        _ = waits.add(race, for: (0..<3).map(key), isSettled: \.isSettled)

        #expect(waits.take(settledBy: settled, of: key(0)).isEmpty)
        #expect(waits.take(settledBy: settled, of: key(0)).isEmpty)
        #expect(waits.take(settledBy: running, of: key(1)).isEmpty)
        #expect(waits.take(settledBy: settled, of: key(1)).isEmpty)
        #expect(waits.take(settledBy: settled, of: key(9)).isEmpty)

        #expect(waits.take(settledBy: settled, of: key(2)).map(ObjectIdentifier.init) == [ObjectIdentifier(race)])
        #expect(waits.take(settledBy: settled, of: key(2)).isEmpty)
    }

    @Test func `a wait that has left keeps no other waiting`() {
        var waits = LaneWaits()
        let (left, stays) = (Race<Void>(), Race<Void>())
        let number = waits.add(left, for: [key(1), key(2)], isSettled: \.isSettled)
        _ = waits.add(stays, for: [key(1)], isSettled: \.isSettled)

        waits.remove(number)

        #expect(waits.take(settledBy: settled, of: key(1)).map(ObjectIdentifier.init) == [ObjectIdentifier(stays)])
    }

    @Test(.timeLimit(.minutes(15))) func `20,000 keys with a wait each, and one for all, cost each key the same`() {
        // Were each ending compared with every wait, this would take minutes.
        let count = 20_000
        let keys = (0..<count).map(key)
        var waits = LaneWaits()
        let all = Race<Void>()
        _ = waits.add(all, for: keys, isSettled: \.isSettled)
        for key in keys { _ = waits.add(Race(), for: [key], isSettled: \.isSettled) }

        let over = keys.map { waits.take(settledBy: settled, of: $0).count }

        #expect(over.dropLast().allSatisfy { $0 == 1 })
        #expect(over.last == 2)
    }
}
