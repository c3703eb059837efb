import Foundation
import PipelineTesting
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

@Suite struct BeginningTests {
    private let tiers = "tiers: [{ source: spot, ttl: 10s }, network]"

    /// Fetches that begin in the middle of a read.
    private func fetches(_ count: Int, of place: Spot) async throws -> [Outcome] {
        let begun = Mutex<[Task<Outcome, any Error>]>([])
        place.interrupt {
            for _ in 0..<count {
                let task = place.fetch()
                begun.withLock { $0.append(task) }
            }
        }
        var outcomes = [try await place.scene.friends.fetch(place.scene.key)]
        for task in begun.withLock({ $0 }) { outcomes.append(try await task.value) }
        return outcomes
    }

    @Test(arguments: ["tiers: [{ source: spot, ttl: 10s }, network]", "tiers: [memory, { source: spot, ttl: 10s }, network]"])
    func `CO-02 who comes while a cache is read on the spot shares the read`(pipeline: String) async throws {
        let place = try Spot(pipeline)
        place.spot.hold("[1]", for: place.scene.key)

        let outcomes = try await fetches(10, of: place)

        #expect(outcomes.map(\.text) == Array(repeating: "[1]", count: 11))
        #expect(Set(outcomes.map(\.trace)).count == 1)
        #expect(place.spot.readCount == 1)
        #expect(place.scene.network.readCount == 0)
        #expect(place.scene.friends.flights[0].count == 0)
    }

    @Test func `CO-01 a miss on the spot is the first attempt of the one load that all share`() async throws {
        let place = try Spot(tiers)

        let outcomes = try await fetches(10, of: place)

        #expect(Set(outcomes.map(\.trace)) == ["spot: miss, network: hit"])
        #expect(place.spot.readCount == 1)
        #expect(place.scene.network.readCount == 1)
        #expect(place.scene.friends.flights[0].count == 0)
        // The load's task lets go of its permit after its callers have their answer.
        try await yieldUntil { place.scene.friends.generations.count == 0 }
    }

    @Test func `CA-01 who began the load leaves during the read, and the others get their answer`() async throws {
        let place = try Spot(tiers)
        let gate = Gate()
        place.scene.network.answers(StubAnswer.value("[1]").after(gate))
        let leader = Mutex<Task<Outcome, any Error>?>(nil)
        let other = Mutex<Task<Outcome, any Error>?>(nil)
        place.interrupt {
            other.withLock { $0 = place.fetch() }
            leader.withLock { $0?.cancel() }
        }

        let task = Task {
            // Not before the test knows this task.
            try await yieldUntil { leader.withLock { $0 != nil } }
            return try await place.scene.friends.fetch(place.scene.key)
        }
        leader.withLock { $0 = task }

        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        #expect(try await other.withLock { $0 }?.value.text == "[1]")
        #expect(place.scene.network.readCount == 1)
        #expect(place.spot.readCount == 1)
    }

    @Test func `CA-02 when all leave during the read, no other tier is asked`() async throws {
        let place = try Spot(tiers)
        let tasks = Mutex<[Task<Outcome, any Error>]>([])
        place.interrupt {
            let other = place.fetch()
            tasks.withLock { tasks in
                tasks.append(other)
                for task in tasks { task.cancel() }
            }
        }

        let leader = Task {
            try await yieldUntil { !tasks.withLock({ $0.isEmpty }) }
            return try await place.scene.friends.fetch(place.scene.key)
        }
        tasks.withLock { $0.append(leader) }

        await #expect(throws: CancellationError.self) { try await leader.value }
        for task in tasks.withLock({ $0 }) { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(place.scene.network.readCount == 0)
        #expect(place.scene.friends.flights[0].count == 0)
    }

    @Test(arguments: [true, false])
    func `SH-06 a shutdown during the read ends the fetch and those who wait for it`(isHit: Bool) async throws {
        let place = try Spot(tiers)
        if isHit { place.spot.hold("[1]", for: place.scene.key) }
        let begun = Mutex<[Task<Void, any Error>]>([])
        place.interrupt {
            let other = place.fetch()
            let shutdown = Task.immediate { _ = await place.scene.pipelines.shutDown() }
            begun.withLock { $0 = [Task { _ = try await other.value }, Task { await shutdown.value }] }
        }

        await #expect(throws: ShutDownError.self) { try await place.scene.friends.fetch(place.scene.key) }

        let (other, shutdown) = begun.withLock { ($0[0], $0[1]) }
        await #expect(throws: ShutDownError.self) { try await other.value }
        try await shutdown.value
        #expect(place.scene.network.readCount == 0)
        #expect(place.scene.friends.flights[0].count == 0)
    }

    @Test func `what was read on the spot before a removal is written nowhere after it`() async throws {
        let place = try Spot("tiers: [memory, spot, network]")
        place.spot.hold("[1]", for: place.scene.key)
        let removal = Mutex<Task<RemovalReport, any Error>?>(nil)
        place.interrupt {
            removal.withLock { $0 = Task.immediate { try await place.scene.friends.remove(place.scene.key) } }
        }

        let outcome = try await place.scene.fetch()

        _ = try await removal.withLock { $0 }?.value
        #expect(outcome.text == "[1]")
        #expect(place.scene.memoryText == nil)
        #expect(place.spot.text(for: place.scene.key) == nil)
        #expect(try await place.scene.fetch().text == "[\"v1\"]")
    }

    @Test(arguments: [nil, -1])
    func `what an origin gives for a miss, or a copy, from before a removal is not kept`(copyFreshFor seconds: Int?) async throws {
        let place = try Spot(tiers)
        let key = place.scene.key
        if let seconds { place.spot.hold("[1]", for: key, freshFor: .seconds(seconds)) }
        let generations = place.scene.friends.generations
        // A removal that has ended when the load begins.
        place.interrupt {
            generations.beginRemoval(of: key)
            generations.endRemoval(of: key)
        }

        let outcome = try await place.scene.fetch()
        try await outcome.waitForWrites()

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.writes.map(\.description) == ["spot: skipped (removed while it was loaded)"])
        #expect(place.spot.writeCount == 0)
    }

    @Test(
        arguments: [
            ("tiers: [{ source: spot, ttl: 10s }, network]", nil, true),
            ("tiers: [{ source: spot, ttl: 10s }, network]", Duration.seconds(5), false),
            ("tiers: [{ source: spot, ttl: 10s }, network]\ndeadline: 5s", nil, false),
            ("tiers: [{ source: spot, timeout: 5s }, network]", nil, false),
            ("tiers: [{ source: spot, soft_timeout: 5s }, network]\nstale_if_error: 1h", nil, false),
        ])
    func `TO-09 who asks with a limit is not held up by a read on the spot`(
        pipeline: String, timeout: Duration?, isHeldUp: Bool
    ) async throws {
        let place = try Spot(pipeline)
        place.spot.hold("[1]", for: place.scene.key)
        let asker = Mutex<ObjectIdentifier?>(nil)
        let wasAsking = Mutex<Bool?>(nil)
        place.interrupt {
            let reader = ObjectIdentifier(Thread.current)
            wasAsking.withLock { $0 = asker.withLock { $0 } == reader }
        }
        /// Begins the fetch; no other job has this thread before it returns.
        func ask() -> Task<Outcome, any Error> {
            asker.withLock { $0 = ObjectIdentifier(Thread.current) }
            defer { asker.withLock { $0 = nil } }
            return place.fetch(timeout: timeout)
        }

        let outcome = try await ask().value

        #expect(outcome.text == "[1]")
        #expect(wasAsking.withLock { $0 } == isHeldUp)
    }

    @Test func `after a removal during the read, no later fetch shares what was read`() async throws {
        let place = try Spot(tiers)
        place.spot.hold("[1]", for: place.scene.key)
        let late = Mutex<Task<Outcome, any Error>?>(nil)
        place.interrupt {
            late.withLock {
                $0 = Task.immediate {
                    _ = try await place.scene.friends.remove(place.scene.key)
                    return try await place.scene.friends.fetch(place.scene.key)
                }
            }
        }

        let outcome = try await place.scene.friends.fetch(place.scene.key)

        #expect(outcome.text == "[1]")
        #expect(try await late.withLock { $0 }?.value.text == "[\"v1\"]")
    }

    @Test func `a deadline that is over before the cache is asked ends the fetch unasked`() async throws {
        let place = try Spot(tiers)
        place.spot.hold("[1]", for: place.scene.key)

        let outcome = try await place.scene.friends.fetch(place.scene.key, timeout: .zero)

        #expect(outcome.failure?.kind == .deadlineExceeded)
        #expect(place.spot.readCount == 0)
    }
}

/// What a pipeline of a table is told before it is asked.
private enum Given: String, CaseIterable {
    case fresh, expired, stale, missing, failing, invalid, notFound, waiting, future

    func prepare(_ place: Spot) async throws {
        let (scene, now) = (place.scene, place.scene.time.clock.now)
        switch self {
        case .fresh: place.spot.hold("[1]", for: scene.key)
        case .expired: place.spot.hold("[1]", for: scene.key, freshFor: .seconds(-9))
        case .stale: place.spot.hold("[1]", for: scene.key, freshFor: .seconds(-1))
        case .missing: break
        case .failing: place.spot.fail(.reads)
        case .invalid: place.spot.hold("[1", for: scene.key)
        case .notFound: place.spot.hold(.notFound(created: now), for: scene.key)
        case .waiting: try await scene.friends.put(Array("[2]".utf8), for: scene.key).waitForWrites()
        case .future: place.spot.hold(Entry([0x31], created: now + .seconds(5)), for: scene.key)
        }
    }
}

@Suite struct ReadingEquivalenceTests {
    private static let pipelines = [
        "tiers: [{ source: spot, ttl: 10s }, network]",
        "tiers: [memory, { source: spot, ttl: 10s }, network]",
        "tiers: [{ source: spot, ttl: 10s, debounce: 2s }, network]\nstale_while_revalidate: 5s\nstale_if_error: 1h",
        "tiers: [memory, { source: spot, soft_timeout: 1s }, disk, network]\nstale_if_error: 1h\ndeadline: 20s",
        "tiers: [{ source: spot, on_error: fail }, network]\nnot_found_ttl: 3s",
        "tiers: [{ source: spot, retry: { attempts: 2, base: 0s } }, network]",
        "tiers: [{ source: spot, circuit_breaker: { failures: 1, open_for: 5s } }, network]",
        "tiers: [{ source: spot, read: false }, network]",
        "tiers: [spot, memory, network]\nwrite_back: { spot: [memory], network: [spot] }",
    ]

    @Test(arguments: pipelines)
    func `however a cache is read, it gives the same outcomes and events`(pipeline: String) async throws {
        for given in Given.allCases {
            for policy in FetchPolicy.allCases {
                var accounts: [[String]] = []
                for reading in StubReading.allCases {
                    let recorder = EventRecorder()
                    let place = try Spot(pipeline, observers: [recorder.observer], reading: reading)
                    try await given.prepare(place)
                    var account: [String] = []
                    for _ in 1...2 {
                        let outcome = try await place.scene.fetch(policy)
                        await place.scene.friends.finishRefreshes()
                        account += [
                            outcome.attempts.map(\.description).joined(separator: ", "),
                            outcome.writes.map(\.description).joined(separator: ", "),
                            "\(outcome.text ?? "nothing") from \(outcome.source ?? "nobody")", outcome.staleReason ?? "fresh",
                        ]
                    }
                    // Writes in the background end beside everything else.
                    let isWrite = { (line: String) in line.contains(" write ") }
                    account += recorder.lines.filter { !isWrite($0) } + recorder.lines.filter(isWrite).sorted()
                    account += place.spot.calls.filter { $0.operation != .reads }.map(\.description)
                    account += [
                        "\(place.spot.readCount) reads", "\(place.scene.network.readCount) calls", place.scene.memoryText ?? "empty",
                    ]
                    accounts.append(account)
                }
                #expect(accounts[0] == accounts[1], "on the thread, \(given) \(policy)")
                #expect(accounts[0] == accounts[2], "in turn, \(given) \(policy)")
            }
        }
    }
}
