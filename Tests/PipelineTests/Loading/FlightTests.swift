import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite struct FlightTests {
    @Test func `those who wait stand in the order in which they came, also when one in between leaves`() {
        var flight = Flight<String>(number: 1)
        // Two numbers are drawn in one order and used in the other.
        for number in (0..<100).map({ $0 == 40 ? 41 : $0 == 41 ? 40 : $0 }) {
            flight.add("waiter \(number)", number: UInt64(number), until: nil)
        }

        for start in 0...1 {
            for number in stride(from: start, to: 100, by: 3) {
                let waiter = flight.remove(UInt64(number))
                #expect(waiter == "waiter \(number)")
                #expect(!flight.isAbandoned)
            }
        }

        let left = stride(from: 2, to: 100, by: 3).map { "waiter \($0)" }
        #expect(flight.waiters == left)
        #expect(flight.waiterCount == left.count)
    }

    @Test func `a waiter leaves once, and the flight is abandoned by the last to leave`() {
        var flight = Flight<String>(number: 1)
        flight.add("first", number: 1, until: nil)
        flight.add("second", number: 2, until: nil)

        let left = [1, 1, 2, 2, 99].map { (flight.remove($0), flight.isAbandoned) }

        #expect(left.map(\.0) == ["first", nil, "second", nil, nil])
        #expect(left.map(\.1) == [false, false, true, true, true])
    }

    @Test func `a flight whose first tiers are being asked is not abandoned by those who came meanwhile`() {
        var flight = Flight<String>(number: 1)
        flight.isBeginning = true
        flight.add("who came meanwhile", number: 1, until: Timestamp(nanoseconds: 20))
        _ = flight.expire(at: Timestamp(nanoseconds: 20))
        #expect(!flight.isAbandoned)

        flight.isBeginning = false

        #expect(flight.isAbandoned)
    }

    @Test func `waiters whose time is over are taken out, and the next deadline is told`() {
        var flight = Flight<String>(number: 1)
        let moments = [50, 80, 20, 20, 60].map { Timestamp(nanoseconds: $0) }
        for (number, moment) in moments.enumerated() { flight.add("waiter", number: UInt64(number), until: moment) }

        let first = flight.expire(at: Timestamp(nanoseconds: 20))
        #expect(first.overdue.count == 2)
        #expect(first.next == Timestamp(nanoseconds: 50))

        let last = flight.expire(at: Timestamp(nanoseconds: 80))
        #expect(last.overdue.count == 3)
        #expect(last.next == nil)
        #expect(flight.waiterCount == 0)
    }

    @Test(arguments: [(nil, 100), (100, 120), (90, 110), (50, 100), (101, 100)] as [(Int64?, Int64)])
    func `a waiter has a moment beyond its deadline where the load must have ended by then`(loadEnd: Int64?, end: Int64) {
        func moment(_ milliseconds: Int64) -> Timestamp { Timestamp(nanoseconds: milliseconds * 1_000_000) }
        var flight = Flight<String>(number: 1)

        flight.loadEnd = loadEnd.map(moment)

        #expect(flight.end(for: moment(100)) == moment(end))
    }
}

@Suite struct SharedDeadlineTests {
    @Test func `each who waits for a load that goes on leaves at the own deadline, and one timer wakes for all`() async throws {
        let scene = try Scene("tiers: [network]")
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))
        async let patient = scene.friends.fetch(scene.key)
        try await scene.waiters(1)
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for number in 1...50 { group.addTask { try await scene.friends.fetch(scene.key, timeout: .milliseconds(100 * number)) } }
            try await scene.waiters(51)
            // The network's own time limit, and the flight's timer; those that it took the place of have gone.
            try await yieldUntil { scene.time.sleeperCount == 2 }

            for left in stride(from: 50, to: 0, by: -1) {
                await scene.time.sleepers(atLeast: 2)
                scene.time.advance(by: .milliseconds(99))
                #expect(scene.friends.flights[0].waiterCount(of: scene.key) == left + 1)
                scene.time.advance(by: .milliseconds(1))
                let outcome = try #require(await group.next())
                #expect(outcome.failure?.kind == .deadlineExceeded)
                #expect(outcome.attempts.first?.reason == "deadline passed while waiting for a load already running")
            }
        }
        gate.open()

        #expect(try await patient.text == "[1]")
        #expect(scene.network.readCount == 1)
        try await yieldUntil { scene.time.sleeperCount == 0 }
    }

    @Test func `the load is cancelled when the last who waits for it is past the own deadline`() async throws {
        let scene = try Scene("tiers: [network]")
        scene.network.answers(.hanging)
        let patient = Task { try await scene.friends.fetch(scene.key) }
        try await scene.waiters(1)
        async let hurried = scene.friends.fetch(scene.key, timeout: .milliseconds(100))
        try await scene.waiters(2)
        patient.cancel()
        await #expect(throws: CancellationError.self) { try await patient.value }
        await scene.time.sleepers(atLeast: 2)

        scene.time.advance(by: .milliseconds(100))

        #expect(try await hurried.failure?.kind == .deadlineExceeded)
        #expect(scene.friends.flights[0].count == 0)
        await scene.network.cancellations(atLeast: 1)
    }

    @Test func `a fetch that waits for the read of another load ends at its own deadline, and says what it waited for`() async throws {
        let scene = try Scene("tiers: [network]")
        scene.network.answers(.hanging)
        // A refresh has no deadline, and shares the read of the origin.
        let refresh = Task { try await scene.friends.fetch(scene.key, policy: .refresh) }
        await scene.network.reads(atLeast: 1)
        async let hurried = scene.friends.fetch(scene.key, timeout: .milliseconds(100))
        try await yieldUntil { scene.friends.flights[1].waiterCount(of: scene.key) >= 2 }

        scene.time.advance(by: .milliseconds(100))

        let outcome = try await hurried
        #expect(outcome.failure?.kind == .deadlineExceeded)
        #expect(outcome.attempts.map(\.description) == ["network: timeout (deadline passed while waiting for a load already running)"])
        #expect(scene.network.readCount == 1)
        refresh.cancel()
        await #expect(throws: CancellationError.self) { try await refresh.value }
    }

    @Test func `fetches with one deadline get the report of the load, which says what it waited for`() async throws {
        let scene = try Scene("tiers: [network]")
        scene.network.answers(.hanging)
        async let one = scene.friends.fetch(scene.key, timeout: .milliseconds(100))
        async let two = scene.friends.fetch(scene.key, timeout: .milliseconds(100))
        try await scene.waiters(2)
        await scene.network.reads(atLeast: 1)
        await scene.time.sleepers(atLeast: 2)

        scene.time.advance(by: .milliseconds(100))

        for outcome in try await [one, two] {
            #expect(outcome.failure?.kind == .deadlineExceeded)
            #expect(outcome.attempts.first?.reason == "no answer within the 100ms left until the deadline")
        }
    }

    @Test func `a part has no more time than its whole, however late it begins`() async throws {
        let scene = try Scene("tiers: [network]")
        scene.network.answers(.hanging)
        let end = scene.time.now + .milliseconds(100)
        let demand = PartDemand(policy: .default, priority: .normal, end: end, isBound: true)
        async let part = scene.friends.fetch(
            scene.key, policy: .default, priority: nil, timeout: .milliseconds(101), for: demand)
        await scene.network.reads(atLeast: 1)
        await scene.time.sleepers(atLeast: 2)

        scene.time.advance(by: .milliseconds(100))

        #expect(try await part.failure?.kind == .deadlineExceeded)
    }
}

extension Flight {
    /// The waiters that have not left.
    fileprivate var waiters: [Continuation] {
        var waiters: [Continuation] = []
        forEachWaiter { waiters.append($0) }
        return waiters
    }
}
