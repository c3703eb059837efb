import PipelineTesting
import Testing

@testable import Pipeline

@Suite struct FlightTests {
    @Test func `those who wait stand in the order in which they came, whoever leaves in between`() {
        var flight = Flight(number: 1)
        let seats = (0..<100).map { _ in Flight.Seat() }
        let places = seats.map { flight.take($0, until: nil) }

        for start in 0...1 {
            for index in stride(from: start, to: 100, by: 3) {
                let isLast = flight.leave(places[index])
                #expect(!isLast)
            }
        }

        let left = stride(from: 2, to: 100, by: 3).map { seats[$0] }
        #expect(flight.seats.map(ObjectIdentifier.init) == left.map(ObjectIdentifier.init))
        #expect(flight.waiterCount == left.count)
    }

    @Test func `a place is left once, and only the last to leave is told so`() {
        var flight = Flight(number: 1)
        let first = flight.take(Flight.Seat(), until: nil)
        let second = flight.take(Flight.Seat(), until: nil)

        let isLast = [first, first, second, second, 99].map { flight.leave($0) }

        #expect(isLast == [false, false, true, false, false])
    }

    @Test func `the timer is to wake for the earliest deadline alone`() {
        var flight = Flight(number: 1)
        let moments = [50, 80, 20, 20, 60].map { Timestamp(nanoseconds: $0) }
        for moment in moments { _ = flight.take(Flight.Seat(), until: moment) }

        let mustWake = moments.map { flight.mustWake(at: $0) }
        #expect(mustWake == [true, false, true, false, false])

        let first = flight.expire(at: Timestamp(nanoseconds: 20))
        #expect(first.overdue.count == 2)
        #expect(first.next == Timestamp(nanoseconds: 50))
        let again = [50, 49].map { flight.mustWake(at: Timestamp(nanoseconds: $0)) }
        #expect(again == [false, true])

        let last = flight.expire(at: Timestamp(nanoseconds: 80))
        #expect(last.overdue.count == 3)
        #expect(last.next == nil)
        #expect(flight.waiterCount == 0)
    }
}

@Suite struct SharedDeadlineTests {
    @Test func `each who waits for a load that goes on leaves at the own deadline, and one timer wakes for all`() async throws {
        let scene = try Scene("tiers: [network]")
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))
        async let patient = scene.friends.fetch(scene.key)
        await scene.waiters(1)
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for number in 1...50 { group.addTask { try await scene.friends.fetch(scene.key, timeout: .milliseconds(100 * number)) } }
            await scene.waiters(51)
            // The network's own time limit, and the flight's timer; those that it took the place of have gone.
            while scene.time.sleeperCount != 2 { await Task.yield() }

            for left in stride(from: 50, to: 0, by: -1) {
                await scene.time.sleepers(atLeast: 2)
                scene.time.advance(by: .milliseconds(left == 50 ? 119 : 99))
                #expect(scene.friends.flights[0].waiterCount(of: scene.key) == left + 1)
                scene.time.advance(by: .milliseconds(1))
                let outcome = try #require(await group.next())
                #expect(outcome.failure?.kind == .deadlineExceeded)
                #expect(outcome.attempts.first?.reason == "the load that was waited for did not end before the deadline")
            }
        }
        gate.open()

        #expect(try await patient.text == "[1]")
        #expect(scene.network.readCount == 1)
        while scene.time.sleeperCount > 0 { await Task.yield() }
    }

    @Test func `the load is cancelled when the last who waits for it is past the own deadline`() async throws {
        let scene = try Scene("tiers: [network]")
        scene.network.answers(.hanging)
        let patient = Task { try await scene.friends.fetch(scene.key) }
        await scene.waiters(1)
        async let hurried = scene.friends.fetch(scene.key, timeout: .milliseconds(100))
        await scene.waiters(2)
        patient.cancel()
        await #expect(throws: CancellationError.self) { try await patient.value }
        await scene.time.sleepers(atLeast: 2)

        scene.time.advance(by: .milliseconds(120))

        #expect(try await hurried.failure?.kind == .deadlineExceeded)
        #expect(scene.friends.flights[0].count == 0)
        await scene.network.cancellations(atLeast: 1)
    }
}
