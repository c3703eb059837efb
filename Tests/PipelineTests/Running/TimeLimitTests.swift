import PipelineTesting
import SourcesMemory
import TestSupport
import Testing

@testable import Pipeline

@Suite struct TimeLimitTests {
    @Test func `TO-03 a tier that does not answer in its time is passed over, and its load is cancelled`() async throws {
        let scene = try Scene("tiers: [{ source: network, timeout: 500ms }, disk]")
        scene.disk.hold("[0]", for: scene.key)
        scene.network.answers(.hanging)
        async let fetched = scene.friends.fetch(scene.key)
        await scene.time.sleepers(atLeast: 1)

        scene.time.advance(by: .milliseconds(500))

        let outcome = try await fetched
        #expect(outcome.trace == "network: timeout, disk: hit")
        #expect(outcome.attempts[0].reason == "no answer within 500ms")
        #expect(outcome.attempts[0].duration == .milliseconds(500))
        await scene.network.cancellations(atLeast: 1)
    }

    @Test func `a load that ignores its cancellation is given up after 30 s`() async throws {
        let scene = try Scene("tiers: [network]")
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate).ignoringCancellation(), "[2]")
        async let fetched = scene.friends.fetch(scene.key)
        await scene.time.sleepers(atLeast: 1)

        scene.time.advance(by: .seconds(30))

        #expect(try await fetched.trace == "network: timeout")
        #expect(try await scene.fetch().text == "[2]")
        gate.open()
    }

    @Test func `TO-01, TO-05, TO-06 after the soft timeout a stale copy is served, and the load goes on`() async throws {
        let scene = try Scene(
            "stale_if_error: 1h\ntiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 2s }, { source: network, soft_timeout: 100ms }]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(5))
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"v2\"]").after(gate))
        async let fetched = scene.friends.fetch(scene.key)
        await scene.time.sleepers(atLeast: 2)

        scene.time.advance(by: .milliseconds(100))
        let stale = try await fetched
        gate.open()
        try await yieldUntil { scene.diskText == "[\"v2\"]" }
        let later = try await scene.fetch()

        #expect(stale.text == "[\"v1\"]")
        #expect(stale.isStale)
        #expect(stale.attempts.last?.outcome == .timeout)
        #expect(stale.attempts.last?.reason?.contains("the load goes on") == true)
        #expect(later.trace == "memory: hit")
        #expect(later.text == "[\"v2\"]")
        #expect(scene.network.cancellationCount == 0)
        #expect(scene.network.readCount == 2)
    }

    @Test func `TO-02 with nothing cached the soft timeout waits for the answer`() async throws {
        let scene = try Scene("stale_if_error: 1h\ntiers: [memory, { source: network, soft_timeout: 100ms }]")
        scene.network.answers(StubAnswer.value("[1]").after(.seconds(1)))
        async let fetched = scene.friends.fetch(scene.key)
        await scene.time.sleepers(atLeast: 2)

        scene.time.advance(by: .milliseconds(500))
        scene.time.advance(by: .milliseconds(500))

        #expect(try await fetched.trace == "memory: miss, network: hit")
    }

    @Test func `TO-04 at the hard timeout an expired copy is served`() async throws {
        let scene = try Scene("stale_if_error: 1h\ntiers: [{ source: memory, ttl: 1s }, { source: network, timeout: 500ms }]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        scene.network.answers(.hanging)
        async let fetched = scene.friends.fetch(scene.key)
        await scene.time.sleepers(atLeast: 1)

        scene.time.advance(by: .milliseconds(500))

        let outcome = try await fetched
        #expect(outcome.trace == "memory: stale, network: timeout")
    }

    @Test func `CO-16 while the load goes on after a soft timeout, more fetches start no other`() async throws {
        let scene = try Scene("stale_if_error: 1h\ntiers: [{ source: memory, ttl: 1s }, { source: network, soft_timeout: 100ms }]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(5))
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"v2\"]").after(gate))

        for _ in 1...2 {
            try await withThrowingTaskGroup(of: Outcome.self) { group in
                for _ in 0..<10 { group.addTask { try await scene.friends.fetch(scene.key) } }
                try await scene.waiters(10)
                await scene.time.sleepers(atLeast: 2)
                scene.time.advance(by: .milliseconds(100))
                for try await outcome in group { #expect(outcome.isStale) }
            }
            // Past the second in which a failed load rests.
            scene.time.advance(by: .seconds(2))
        }
        gate.open()

        #expect(scene.network.readCount == 2)
    }

    @Test func `TO-05 a load that ends well after the soft timeout is no reason not to ask again`() async throws {
        let scene = try Scene(
            "stale_if_error: 1h\ntiers: [{ source: memory, ttl: 200ms }, { source: network, soft_timeout: 100ms, timeout: 2s }]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(1))
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"v2\"]").after(gate), "[\"v3\"]")
        async let fetched = scene.friends.fetch(scene.key)
        await scene.time.sleepers(atLeast: 2)
        scene.time.advance(by: .milliseconds(100))
        #expect(try await fetched.isStale)

        let meanwhile = try await scene.fetch()
        gate.open()
        await scene.friends.finishRefreshes()
        scene.time.advance(by: .milliseconds(500))
        let later = try await scene.fetch()

        #expect(meanwhile.trace == "memory: stale, network: skipped")
        #expect(meanwhile.attempts[1].reason == "a load is still running")
        #expect(later.trace == "memory: expired, network: hit")
        #expect(later.text == "[\"v3\"]")
        #expect(scene.network.readCount == 3)
    }

    @Test func `TO-05 a load that fails after the soft timeout is not tried again for a second from then on`() async throws {
        let scene = try Scene("stale_if_error: 1h\ntiers: [{ source: memory, ttl: 200ms }, { source: network, soft_timeout: 100ms }]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(1))
        let gate = Gate()
        scene.network.answers(StubAnswer.error().after(gate), "[\"v2\"]")
        async let fetched = scene.friends.fetch(scene.key)
        await scene.time.sleepers(atLeast: 2)
        scene.time.advance(by: .milliseconds(100))
        #expect(try await fetched.isStale)

        scene.time.advance(by: .milliseconds(500))
        gate.open()
        await scene.friends.finishRefreshes()
        scene.time.advance(by: .milliseconds(900))
        let during = try await scene.fetch()
        scene.time.advance(by: .milliseconds(100))
        let after = try await scene.fetch()

        #expect(during.trace == "memory: stale, network: skipped")
        #expect(during.attempts[1].reason == "a load failed less than 1s ago, not tried again for 100ms")
        #expect(after.trace == "memory: expired, network: hit")
        #expect(scene.network.readCount == 3)
    }

    @Test func `TO-08 a slow disk with a soft timeout yields to the stale copy in memory`() async throws {
        let scene = try Scene(
            "stale_if_error: 1h\ntiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 1h, soft_timeout: 50ms }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(5))
        let gate = Gate()
        scene.disk.delay(.reads, until: gate)
        async let fetched = scene.friends.fetch(scene.key)
        await scene.time.sleepers(atLeast: 2)

        scene.time.advance(by: .milliseconds(50))

        #expect(try await fetched.trace == "memory: stale, disk: timeout")
        gate.open()
    }

    @Test func `the soft timeout of a disk does not count for the network below it`() async throws {
        let scene = try Scene(
            "stale_if_error: 1h\ntiers: [{ source: memory, ttl: 1s }, { source: disk, ttl: 1s, soft_timeout: 50ms }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(5))
        let gate = Gate()
        scene.network.answers("[\"v2\"]")
        scene.network.delay(.reads, until: gate)
        async let fetched = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 2)

        scene.time.advance(by: .milliseconds(60))
        gate.open()

        #expect(try await fetched.trace == "memory: expired, disk: expired, network: hit")
    }

    @Test func `TO-09 a slow disk with a hard timeout and nothing in memory goes on to the network`() async throws {
        let scene = try Scene("tiers: [memory, { source: disk, timeout: 50ms }, network]")
        scene.disk.delay(.reads, until: Gate())
        async let fetched = scene.friends.fetch(scene.key)
        await scene.time.sleepers(atLeast: 1)

        scene.time.advance(by: .milliseconds(50))

        #expect(try await fetched.trace == "memory: miss, disk: timeout, network: hit")
    }

    @Test func `the deadline bounds the whole fetch, and each tier gets what is left`() async throws {
        let scene = try Scene("deadline: 1s\ntiers: [{ source: disk, timeout: 700ms }, network]")
        scene.disk.delay(.reads, until: Gate())
        scene.network.answers(.hanging)
        async let fetched = scene.friends.fetch(scene.key)
        await scene.disk.reads(atLeast: 1)
        await scene.time.sleepers(atLeast: 2)
        scene.time.advance(by: .milliseconds(700))
        await scene.network.reads(atLeast: 1)
        await scene.time.sleepers(atLeast: 2)
        scene.time.advance(by: .milliseconds(300))

        let outcome = try await fetched
        #expect(outcome.trace == "disk: timeout, network: timeout")
        #expect(outcome.failure?.kind == .deadlineExceeded)
        #expect(outcome.attempts[1].reason?.contains("until the deadline") == true)
    }

    @Test func `a fetch with a short time of its own does not shorten that of others`() async throws {
        let scene = try Scene("tiers: [network]")
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))
        async let hurried = scene.friends.fetch(scene.key, timeout: .milliseconds(100))
        await scene.network.reads(atLeast: 1)
        async let patient = scene.friends.fetch(scene.key)
        try await scene.waiters(2)
        await scene.time.sleepers(atLeast: 2)

        scene.time.advance(by: .milliseconds(100))
        #expect(try await hurried.failure?.kind == .deadlineExceeded)
        await scene.network.reads(atLeast: 2)
        gate.open()

        #expect(try await patient.text == "[1]")
    }
}

@Suite struct RetryTests {
    @Test func `CB-07 a failed read is tried again with doubling pauses, as one attempt and one flight`() async throws {
        let scene = try Scene("tiers: [{ source: network, timeout: 1h, retry: { attempts: 4, base: 1s, max: 3s } }]")
        scene.network.answers(.error(), .error(), .error(), "[4]")
        async let one = scene.friends.fetch(scene.key)
        async let two = scene.friends.fetch(scene.key)
        try await scene.waiters(2)
        var pauses: [Duration] = []
        for (number, pause) in [Duration.seconds(1), .seconds(2), .seconds(3)].enumerated() {
            await scene.network.reads(atLeast: number + 1)
            await scene.time.sleepers(atLeast: 2)
            scene.time.advance(by: pause)
            pauses.append(pause)
        }

        let outcomes = try await (one, two)
        #expect(outcomes.0.text == "[4]")
        #expect(outcomes.1.text == "[4]")
        #expect(outcomes.0.trace == "network: hit")
        // The other one joined it, whichever that is.
        let reasons = [outcomes.0, outcomes.1].compactMap { $0.attempts[0].reason }.sorted()
        #expect(reasons == ["tried 4 times", "tried 4 times, joined a load that had just begun"])
        #expect(scene.network.readCount == 4)
    }

    @Test(arguments: [(SourceError("status 404", kind: .rejected), 1), (SourceError("status 429"), 3)])
    func `a request that is rejected is not tried again, one that comes too early is`(error: SourceError, calls: Int) async throws {
        let scene = try Scene("tiers: [{ source: network, retry: { attempts: 3, base: 0s } }]")
        scene.network.fail(.reads, with: error)

        let outcome = try await scene.fetch()

        #expect(scene.network.readCount == calls)
        #expect(outcome.failure?.attempts.first?.tries == calls)
        #expect(outcome.failure?.attempts.first?.reason?.hasPrefix(error.reason) == true)
    }

    @Test func `CB-07 retrying stops when everybody has left`() async throws {
        let scene = try Scene("tiers: [{ source: network, retry: { attempts: 3, base: 1s } }]")
        scene.network.fail(.reads)
        let task = Task { try await scene.friends.fetch(scene.key) }
        await scene.time.sleepers(atLeast: 2)

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        try await yieldUntil { scene.time.sleeperCount == 0 }
        #expect(scene.network.readCount == 1)
    }

    @Test func `CO-06 many who wait for a load that always fails make as many calls as one`() async throws {
        let scene = try Scene("tiers: [{ source: network, retry: { attempts: 2, base: 1s } }]")
        scene.network.fail(.reads)
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<100 { group.addTask { try await scene.friends.fetch(scene.key) } }
            try await scene.waiters(100)
            await scene.time.sleepers(atLeast: 2)
            scene.time.advance(by: .seconds(1))
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(outcomes.allSatisfy { $0.failure != nil })
        #expect(scene.network.readCount == 2)
    }
}

@Suite struct CircuitBreakerTests {
    private static let tiers = "tiers: [memory, { source: disk, circuit_breaker: { failures: 2, open_for: 2s } }, network]"

    @Test func `CB-01 after its failures a source is skipped for reads and writes, and then used again`() async throws {
        let scene = try Scene(Self.tiers)
        scene.disk.fail(.reads)
        _ = try await scene.friends.fetch(["user": "1"])
        _ = try await scene.friends.fetch(["user": "2"])
        await scene.pipelines.flush()
        scene.disk.forgetCalls()

        let during = try await scene.friends.fetch(["user": "3"])
        let callsDuring = scene.disk.calls
        scene.time.advance(by: .seconds(2))
        scene.disk.recover()
        let after = try await scene.friends.fetch(["user": "4"])

        #expect(during.trace == "memory: miss, disk: skipped, network: hit")
        #expect(during.attempts[1].reason == "circuit open for another 2s")
        #expect(during.writeTrace == "memory: written, disk: skipped")
        #expect(callsDuring.isEmpty)
        #expect(after.trace == "memory: miss, disk: miss, network: hit")
    }

    @Test func `CB-01 a cache that can be read and not be written opens the circuit, too`() async throws {
        let scene = try Scene("tiers: [{ source: disk, circuit_breaker: { failures: 2, open_for: 1h } }, network]")
        scene.disk.fail(.writes)
        for user in 1...2 { try await scene.friends.fetch(["user": "\(user)"]).waitForWrites() }

        let outcome = try await scene.friends.fetch(["user": "3"])

        #expect(outcome.trace == "disk: skipped, network: hit")
    }

    @Test func `CB-02 a breaker of 0 failures is off`() async throws {
        let scene = try Scene("tiers: [{ source: disk, circuit_breaker: { failures: 0, open_for: 1h } }, network]")
        scene.disk.fail(.reads)

        for user in 0..<5 { _ = try await scene.friends.fetch(["user": "\(user)"]) }

        #expect(scene.disk.readCount == 5)
    }

    @Test func `CB-01 a source that is not asked, since no time is left, has not failed`() async throws {
        let scene = try Scene("tiers: [{ source: network, circuit_breaker: { failures: 1, open_for: 1h } }]")

        let late = try await scene.friends.fetch(["user": "1"], timeout: .zero)
        let next = try await scene.friends.fetch(["user": "2"])

        #expect(late.failure?.kind == .deadlineExceeded)
        #expect(next.trace == "network: hit")
        #expect(scene.network.readCount == 1)
    }

    @Test func `CB-03 a write that was admitted before the circuit opened, and is dropped, lets no second probe through`() async throws {
        let scene = try Scene("tiers: [{ source: disk, debounce: 5s, circuit_breaker: { failures: 1, open_for: 1s } }, network]")
        let waiting = try await scene.friends.fetch(scene.key)
        #expect(waiting.writeTrace == "disk: scheduled")
        scene.disk.fail(.reads)
        _ = try await scene.friends.fetch(["user": "1"])
        scene.disk.recover()
        scene.time.advance(by: .seconds(1))
        let gate = Gate()
        scene.disk.delay(.reads, until: gate)
        scene.disk.forgetCalls()
        let probe = Task { try await scene.friends.fetch(["user": "probe"]) }
        await scene.disk.reads(atLeast: 1)
        scene.disk.stopDelaying(.reads)

        _ = try await scene.friends.remove(scene.key)
        let other = try await scene.friends.fetch(["user": "other"])

        #expect(waiting.writeTrace == "disk: skipped")
        #expect(other.trace == "disk: skipped, network: hit")
        gate.open()
        _ = try await probe.value
    }

    @Test func `CB-03 a write that is the probe and is dropped lets another one through`() async throws {
        let scene = try Scene(
            "tiers: [{ source: disk, read: false, debounce: 500ms, circuit_breaker: { failures: 1, open_for: 1s } }, network]")
        scene.disk.fail(.writes)
        let failed = try await scene.friends.fetch(["user": "1"])
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .milliseconds(500))
        try await yieldUntil { failed.writeTrace == "disk: failed" }
        _ = try await scene.friends.remove(scene.friends.key(["user": "1"]))
        scene.disk.recover()
        scene.time.advance(by: .seconds(1))
        let probe = try await scene.friends.fetch(scene.key)
        #expect(try await scene.friends.fetch(["user": "2"]).writeTrace == "disk: skipped")

        _ = try await scene.friends.remove(scene.key)

        #expect(probe.writeTrace == "disk: skipped")
        #expect(try await scene.friends.fetch(["user": "3"]).writeTrace == "disk: scheduled")
    }

    @Test func `CB-03 after the pause exactly one probe goes through`() async throws {
        let scene = try Scene("tiers: [{ source: network, circuit_breaker: { failures: 1, open_for: 2s } }]")
        scene.network.fail(.reads)
        _ = try await scene.friends.fetch(["user": "0"])
        scene.time.advance(by: .seconds(2))
        scene.network.recover()
        scene.network.forgetCalls()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[1]").after(gate))

        async let probe = scene.friends.fetch(["user": "1"])
        await scene.network.reads(atLeast: 1)
        let others = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for user in 2...5 { group.addTask { try await scene.friends.fetch(["user": "\(user)"]) } }
            return try await group.reduce(into: []) { $0.append($1.trace) }
        }
        gate.open()

        #expect(try await probe.text == "[1]")
        #expect(others.allSatisfy { $0 == "network: skipped" })
        #expect(try await scene.friends.fetch(["user": "6"]).trace == "network: hit")
    }

    @Test func `CB-03 the probe is asked once, whatever retry says`() async throws {
        let scene = try Scene(
            "tiers: [{ source: network, retry: { attempts: 3, base: 1ms }, circuit_breaker: { failures: 3, open_for: 2s } }]")
        scene.network.fail(.reads)
        let first = Task { try await scene.friends.fetch(["user": "0"]) }
        while scene.network.readCount < 3 {
            scene.time.advance(by: .milliseconds(1))
            await Task.yield()
        }
        _ = try await first.value
        let callsBefore = scene.network.readCount
        scene.time.advance(by: .seconds(2))

        let probe = try await scene.friends.fetch(["user": "1"])
        let after = try await scene.friends.fetch(["user": "2"])

        #expect(callsBefore == 3)
        #expect(probe.trace == "network: error" && scene.network.readCount == 4)
        #expect(after.trace == "network: skipped")
    }

    @Test func `each try counts, and the circuit that it opens ends the tries`() async throws {
        let scene = try Scene(
            "tiers: [{ source: network, retry: { attempts: 5, base: 0s }, circuit_breaker: { failures: 2, open_for: 2s } }]")
        scene.network.fail(.reads, with: SourceError("status 500"))

        let first = try await scene.friends.fetch(["user": "0"])
        let second = try await scene.friends.fetch(["user": "1"])

        #expect(first.attempts[0].description == "network: error (status 500, circuit open for another 2s, tried 2 times)")
        #expect(second.attempts[0].description == "network: skipped (circuit open for another 2s)")
        #expect(scene.network.readCount == 2)
    }

    @Test func `a circuit that opens in a pause ends the tries, too`() async throws {
        let scene = try Scene(
            "tiers: [{ source: network, retry: { attempts: 2, base: 1s, max: 1s }, circuit_breaker: { failures: 2, open_for: 9s } }]")
        scene.network.answers(.error(SourceError("status 500")), .error(SourceError("status 501")), "[1]")
        async let pausing = scene.friends.fetch(["user": "0"])
        await scene.network.reads(atLeast: 1)
        await scene.time.sleepers(atLeast: 2)
        let opening = try await scene.friends.fetch(["user": "1"])
        scene.time.advance(by: .seconds(1))

        #expect(opening.attempts[0].reason == "status 501, circuit open for another 9s")
        #expect(try await pausing.attempts[0].description == "network: error (status 500, circuit open for another 8s)")
        #expect(scene.network.readCount == 2)
    }

    @Test func `a request that was surely not processed is repeated, and counts when that fails, too`() async throws {
        let scene = try Scene(
            "tiers: [{ source: network, retry: { attempts: 3, base: 0s }, circuit_breaker: { failures: 1, open_for: 2s } }]")
        var refused = SourceError("connection refused")
        refused.retry = .atOnce
        scene.network.answers(.error(refused), "[1]", .error(refused))

        #expect(try await scene.friends.fetch(["user": "0"]).trace == "network: hit")
        let second = try await scene.friends.fetch(["user": "1"])
        scene.time.advance(by: .seconds(2))
        let probe = try await scene.friends.fetch(["user": "2"])

        #expect(second.attempts[0].reason == "connection refused, circuit open for another 2s")
        #expect(probe.attempts[0].reason == "connection refused, circuit open for another 2s")
        #expect(scene.network.readCount == 5)
    }

    @Test func `a try that runs into the time limit of its tier counts`() async throws {
        let scene = try Scene(
            "tiers: [{ source: network, timeout: 1s, retry: { attempts: 3, base: 0s }, circuit_breaker: { failures: 2, open_for: 1m } }]")
        scene.network.answers(.error(), .hanging)
        async let fetched = scene.friends.fetch(["user": "0"])
        await scene.network.reads(atLeast: 2)
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .seconds(1))

        #expect(try await fetched.attempts[0].description == "network: timeout (no answer within 1s, tried 2 times)")
        #expect(try await scene.friends.fetch(["user": "1"]).trace == "network: skipped")
    }

    @Test func `a source that rejects requests is well: its circuit stays closed, and closes`() async throws {
        let scene = try Scene("tiers: [{ source: network, circuit_breaker: { failures: 2, open_for: 2s } }]")
        let rejection = SourceError("status 422", kind: .rejected)
        scene.network.answers(.error(rejection))
        for user in 0..<5 { #expect(try await scene.friends.fetch(["user": "\(user)"]).trace == "network: error") }

        // One failure before and one after are not two in a row.
        scene.network.answers(.error(), .error(rejection), .error(), "[1]")
        for user in 0..<3 { _ = try await scene.friends.fetch(["user": "\(user)"]) }
        #expect(try await scene.friends.fetch(["user": "3"]).trace == "network: hit")

        scene.network.answers(.error(), .error(), .error(rejection), .error(), "[1]")
        for user in 0..<2 { _ = try await scene.friends.fetch(["user": "\(user)"]) }
        #expect(try await scene.friends.fetch(["user": "2"]).trace == "network: skipped")
        scene.time.advance(by: .seconds(2))
        for user in 3...4 { #expect(try await scene.friends.fetch(["user": "\(user)"]).trace == "network: error") }
        #expect(try await scene.friends.fetch(["user": "5"]).trace == "network: hit")
    }
}
