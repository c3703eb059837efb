import PipelineTesting
import SourcesMemory
import TestSupport
import Testing

@testable import Pipeline

@Suite struct BatchTests {
    @Test func `BT-01 120 keys make three calls, and each key gets its own value`() async throws {
        let scene = try BatchScene()
        let outcomes = try await scene.fetch(0..<120)
        #expect(scene.api.calls.map(\.count) == [50, 50, 20])
        #expect(scene.api.calls.flatMap(\.self) == (0..<120).map { "\($0)" })
        #expect(outcomes.map(\.text) == (0..<120).map { "\"\($0)\"" })
        #expect(outcomes.map(\.key) == BatchScene.keys(0..<120))
        #expect(try await scene.fetch(0..<120).allSatisfy { $0.source == "memory" })
        #expect(scene.api.calls.count == 3)
    }

    @Test func `A key alone, and one that is left over, is read by itself`() async throws {
        let scene = try BatchScene(most: 3)
        _ = try await scene.fetch(0..<4)
        #expect(scene.api.calls == [["0", "1", "2"], ["3"]])
        let single = try await scene.users.fetch(["id": "9"])
        #expect(single.attempts.last?.reason == nil)
        _ = try await scene.fetch([8])
        #expect(scene.api.calls.dropFirst(2) == [["9"], ["8"]])
    }

    @Test func `The trace says that a value came in a batch`() async throws {
        let scene = try BatchScene()
        let outcomes = try await scene.fetch(0..<2)
        #expect(outcomes[0].trace == "memory: miss, api: hit")
        #expect(outcomes[0].attempts.last?.reason == "in a batch of 2")
    }

    @Test func `Caches are asked first, several keys at once, and only what they lack is in the call of the origin`() async throws {
        let scene = try BatchScene(hasDisk: true)
        _ = try await scene.fetch(0..<3)
        await scene.users.settle(BatchScene.keys(0..<3))
        for key in BatchScene.keys(0..<3) { try await scene.memory.remove(key) }
        #expect(scene.disk.calls == [["0", "1", "2"]])
        let outcomes = try await scene.fetch([2, 7, 0, 8])
        #expect(scene.disk.calls.last == ["2", "7", "0", "8"])
        #expect(scene.api.calls == [["0", "1", "2"], ["7", "8"]])
        #expect(outcomes.map(\.source) == ["disk", "api", "disk", "api"])
    }

    @Test func `What memory has at hand is asked of nothing else`() async throws {
        let scene = try BatchScene(hasDisk: true)
        _ = try await scene.fetch(0..<2)
        _ = try await scene.fetch(0..<4)
        #expect(scene.disk.calls == [["0", "1"], ["2", "3"]])
    }

    @Test func `A cache that fails for several keys fails for each, and the origin is asked once`() async throws {
        let scene = try BatchScene(hasDisk: true)
        scene.disk.fail()
        let outcomes = try await scene.fetch(0..<3)
        #expect(outcomes.allSatisfy { $0.trace == "memory: miss, disk: error, api: hit" })
        #expect(scene.api.calls == [["0", "1", "2"]])
    }

    @Test func `A load that runs already is joined, and not waited for before the others are asked for`() async throws {
        let scene = try BatchScene()
        let gate = scene.api.hold()
        async let first = scene.users.fetch(["id": "1"])
        try await yieldUntil { !scene.api.calls.isEmpty }
        async let many = scene.fetch(0..<4)
        try await yieldUntil { scene.api.calls.count >= 2 }
        gate.open()
        let outcomes = try await many
        #expect(scene.api.calls == [["1"], ["0", "2", "3"]])
        #expect(outcomes.map(\.text) == ["\"0\"", "\"1\"", "\"2\"", "\"3\""])
        #expect(try await first.text == "\"1\"")
    }

    @Test func `Two fetches that wait for each other's keys end`() async throws {
        let scene = try BatchScene()
        let gate = scene.api.hold()
        async let one = scene.fetch(0..<10)
        async let two = scene.fetch((0..<10).reversed())
        async let three = scene.fetch(5..<15)
        try await yieldUntil { scene.api.calls.flatMap(\.self).count >= 15 }
        gate.open()
        _ = try await (one, two, three)
        #expect(scene.api.calls.flatMap(\.self).sorted() == (0..<15).map { "\($0)" }.sorted())
    }

    @Test func `A key that stands twice is loaded once and answered twice`() async throws {
        let scene = try BatchScene()
        let outcomes = try await scene.fetch([1, 2, 1, 2, 1])
        // Which of two keys comes first to the call is not promised.
        #expect(scene.api.calls.map { $0.sorted() } == [["1", "2"]])
        #expect(outcomes.map(\.text) == ["\"1\"", "\"2\"", "\"1\"", "\"2\"", "\"1\""])
    }

    @Test func `No keys are no call`() async throws {
        let scene = try BatchScene()
        #expect(try await scene.fetch([]).isEmpty && scene.api.calls.isEmpty)
    }

    @Test func `BT-03 what the batch says is absent is not found, remembered, and what came beside it is kept`() async throws {
        var policy = PipelinePolicy()
        policy.notFoundTTL = .seconds(10)
        let scene = try BatchScene(policy: policy)
        scene.api.change { ($0.absent, $0.broken) = (["1"], ["2"]) }
        let outcomes = try await scene.fetch(0..<4)
        #expect(outcomes.map { $0.attempts.last?.outcome } == [.hit, .notFound, .invalid, .hit])
        #expect(outcomes[1].isNotFound && outcomes[2].failure != nil)
        _ = try await scene.fetch(0..<4)
        #expect(scene.api.calls == [["0", "1", "2", "3"], ["2"]])
    }

    @Test func `BT-06 a batch that fails fails each of its keys, and the next fetch asks again`() async throws {
        let scene = try BatchScene(most: 2)
        scene.api.change { $0.failures = [SourceError("status 500")] }
        let outcomes = try await scene.fetch(0..<4)
        #expect(outcomes.map { $0.failure == nil } == [false, false, true, true])
        #expect(outcomes[0].attempts.last?.reason == "status 500, in a batch of 2")
        #expect(try await scene.fetch(0..<4).allSatisfy { $0.failure == nil })
        #expect(scene.api.calls == [["0", "1"], ["2", "3"], ["0", "1"]])
    }

    @Test func `BT-06 retry sees one call`() async throws {
        let scene = try BatchScene { $0.retry = RetryPolicy(attempts: 3, base: .zero) }
        scene.api.change { $0.failures = [SourceError("status 500"), SourceError("status 502")] }
        let outcomes = try await scene.fetch(0..<4)
        #expect(scene.api.calls == Array(repeating: ["0", "1", "2", "3"], count: 3))
        #expect(outcomes.allSatisfy { $0.attempts.last?.tries == 3 && $0.text != nil })
    }

    @Test func `The circuit breaker sees one call, and one of a doubled id is none`() async throws {
        let scene = try BatchScene { $0.circuitBreaker = CircuitBreakerPolicy(failures: 2, openFor: .seconds(10)) }
        scene.api.change { ($0.failures, $0.broken) = ([SourceError("status 500")], ["7", "8", "9"]) }
        _ = try await scene.fetch(0..<4)
        #expect(scene.users.circuits.map(\.state) == [.closed])
        _ = try await scene.fetch(5..<10)
        #expect(scene.users.circuits.map(\.state) == [.closed])
        scene.api.change { $0.failures = [SourceError("status 500"), SourceError("status 500")] }
        _ = try await scene.fetch(20..<22)
        _ = try await scene.fetch(20..<22)
        #expect(scene.users.circuits.map(\.state) == [.open])
        let calls = scene.api.calls.count
        #expect(try await scene.fetch(20..<22).allSatisfy { $0.trace == "memory: miss, api: skipped" })
        #expect(scene.api.calls.count == calls)
    }

    @Test func `Keys that fail together fall back together`() async throws {
        let scene = try BatchScene(hasSpare: true, most: 2)
        scene.api.change { $0.failures = [SourceError("status 500"), SourceError("status 500")] }
        let outcomes = try await scene.fetch(0..<4)
        #expect(outcomes.allSatisfy { $0.source == "spare" })
        #expect(scene.spare.calls.flatMap(\.self).sorted() == ["0", "1", "2", "3"])
        #expect(scene.spare.calls.allSatisfy { $0.count >= 2 })
    }

    @Test func `BT-07 keys share a call only where all other parameters are equal`() async throws {
        let scene = try BatchScene(parameters: ["id", "token"])
        let keys = [("1", "a"), ("2", "b"), ("3", "a"), ("4", "b"), ("1", "b")].map {
            Key(pipeline: "users", parameters: ["id": $0.0, "token": $0.1])
        }
        let outcomes = try await scene.users.fetch(many: keys)
        #expect(Set(scene.api.calls) == [["1", "3"], ["2", "4", "1"]])
        #expect(outcomes.map(\.text) == ["\"1\"", "\"2\"", "\"3\"", "\"4\"", "\"1\""])
    }

    @Test func `BT-03 stale copies are served where the batch fails`() async throws {
        var policy = PipelinePolicy()
        policy.staleIfError = .seconds(60)
        let scene = try BatchScene(policy: policy, memoryTTL: .seconds(10))
        _ = try await scene.fetch(0..<3)
        scene.time.advance(by: .seconds(11))
        scene.api.change { $0.failures = [SourceError("status 500")] }
        let outcomes = try await scene.fetch(0..<4)
        #expect(outcomes.map(\.isStale) == [true, true, true, false])
        #expect(outcomes.map(\.text) == ["\"0\"", "\"1\"", "\"2\"", nil])
        #expect(outcomes[3].failure != nil)
        #expect(scene.api.calls == [["0", "1", "2"], ["0", "1", "2", "3"]])
    }

    @Test func `BT-04 of an answer to something else nothing is remembered, also not of what was asked`() async throws {
        var policy = PipelinePolicy()
        policy.notFoundTTL = .seconds(10)
        let scene = try BatchScene(policy: policy)
        scene.api.change { $0.failures = [SourceError("the batch has 2 elements, and none with an id that was asked for", kind: .invalid)] }
        let outcomes = try await scene.fetch(0..<3)
        #expect(outcomes.allSatisfy { $0.attempts.last?.outcome == .invalid })
        #expect(BatchScene.keys(0..<3).allSatisfy { scene.memory.peek($0) == nil })
        let again = try await scene.fetch(0..<3)
        #expect(again.allSatisfy { $0.source == "api" })
        #expect(scene.api.calls == [["0", "1", "2"], ["0", "1", "2"]])
    }

    @Test func `Stale copies are served, and refreshed together in the background`() async throws {
        var policy = PipelinePolicy()
        policy.staleWhileRevalidate = .seconds(60)
        let scene = try BatchScene(policy: policy, memoryTTL: .seconds(10))
        _ = try await scene.fetch(0..<4)
        scene.time.advance(by: .seconds(11))
        let stale = try await scene.fetch(0..<4)
        #expect(stale.allSatisfy { $0.isStale })
        await scene.users.finishRefreshes()
        #expect(scene.api.calls == [["0", "1", "2", "3"], ["0", "1", "2", "3"]])
        #expect(try await scene.fetch(0..<4).allSatisfy { !$0.isStale })
    }

    @Test func `A refresh of several keys asks the origin alone, once`() async throws {
        let scene = try BatchScene(hasDisk: true)
        _ = try await scene.fetch(0..<3)
        let outcomes = try await scene.fetch(0..<3, policy: .refresh)
        #expect(outcomes.allSatisfy { $0.source == "api" })
        #expect(scene.api.calls.count == 2)
        #expect(try await scene.fetch(7..<9, policy: .cacheOnly).allSatisfy { $0.isNotFound })
        #expect(scene.api.calls.count == 2)
    }

    @Test func `A removal while a batch runs keeps its answer out of the caches, for that key alone`() async throws {
        let scene = try BatchScene()
        let gate = scene.api.hold()
        async let many = scene.fetch(0..<3)
        try await yieldUntil { !scene.api.calls.isEmpty }
        _ = try await scene.users.remove(BatchScene.key("1"))
        gate.open()
        _ = try await many
        let isKept = BatchScene.keys(0..<3).map { scene.memory.peek($0) != nil }
        #expect(isKept == [true, false, true])
    }
}

extension DataPipeline {
    /// Waits until each cache holds what waits to be written to it.
    func settle(_ keys: [Key]) async {
        for key in keys { try? await flush(key) }
    }
}
