import PipelineTesting
import SourcesMemory
import Testing

@testable import Pipeline

/// A fetch by the literal of its arguments does what one by the key does.
@Suite struct ArgumentsTests {
    private func pipeline(
        _ parameters: [ParameterSpec], ttl: Duration = .seconds(60), clock: ManualClock = ManualClock(),
        observers: [PipelineEvent.Observer] = []
    ) throws -> (pipeline: DataPipeline, memory: MemorySource, origin: StubOrigin) {
        let (memory, origin) = (MemorySource(seed: 1), StubOrigin(clock: clock.clock, answering: .value("1")))
        let tiers = [TierSpec(SourceSpec("memory", memory), ttl: ttl), TierSpec(SourceSpec("api", origin))]
        let spec = PipelineSpec("friends", parameters: parameters, tiers: tiers)
        return (try DataPipeline(spec, clock: clock.clock, observers: observers), memory, origin)
    }

    @Test(arguments: ["42", "", ".hidden", "a/b", "ü", "\u{212A}", String(repeating: "x", count: 241), String(repeating: "x", count: 300)])
    func `one argument, whatever its value, is the key that a dictionary makes`(value: String) async throws {
        let (pipeline, _, origin) = try pipeline(["user"])
        let key = try pipeline.key(["user": value])

        let first = try await pipeline.fetch(["user": value])
        let second = try await pipeline.fetch(["user": value])

        #expect(first.key == key && first.key.text == key.text && first.key.hash == key.hash)
        #expect(second.key == key && second.key.text == key.text && second.key.pipeline == "friends")
        #expect(first.attempts.map(\.outcome) == [.miss, .hit])
        #expect(second.attempts.map(\.outcome) == [.hit] && second.source == "memory")
        #expect(try await pipeline.fetch(key).attempts.map(\.outcome) == [.hit])
        #expect(origin.readCount == 1)
    }

    @Test func `hits by arguments stay hits when the cache is no longer changed by them`() async throws {
        let (pipeline, _, origin) = try pipeline(["user"])
        for _ in 0..<200 {
            for number in 0..<5 {
                let outcome = try await pipeline.fetch(["user": "\(number)"])
                #expect(try outcome.payload == Array("1".utf8))
                #expect(outcome.key.text == "friends,user=\(number)")
            }
        }
        #expect(origin.readCount == 5)
    }

    @Test func `no argument and several are those of the dictionary, and defaults stand in`() async throws {
        let (alone, _, _) = try pipeline([])
        let (pair, _, _) = try pipeline(["b", ParameterSpec("a", default: "1")])

        #expect(try await alone.fetch().key.text == "friends")
        #expect(try await alone.fetch([:]).key.text == "friends")
        #expect(try await pair.fetch(["a": "2", "b": "3"]).key.text == "friends,a=2,b=3")
        #expect(try await pair.fetch(["b": "3"]).key.text == "friends,a=1,b=3")
        let variable = ["b": "3"]
        #expect(try await pair.fetch(variable).key.text == "friends,a=1,b=3")
    }

    @Test func `names that are missing or not declared are usage errors`() async throws {
        let (pipeline, _, _) = try pipeline(["k"])

        await #expect(throws: UsageError.undeclaredParameter("user", pipeline: "friends", known: ["k"])) {
            try await pipeline.fetch(["user": "42"])
        }
        // The Kelvin sign is equal to the letter for Swift's strings.
        await #expect(throws: UsageError.self) { try await pipeline.fetch(["\u{212A}": "42"]) }
        await #expect(throws: UsageError.missingParameters(["k"], pipeline: "friends")) { try await pipeline.fetch() }
    }

    @Test func `a copy that is not fresh any more is loaded again, and its policies and events are those of the key`() async throws {
        let (clock, recorder) = (ManualClock(), EventRecorder())
        let (pipeline, _, origin) = try pipeline(["user"], ttl: .seconds(10), clock: clock, observers: [recorder.observer])

        #expect(try await pipeline.fetch(["user": "1"]).source == "api")
        #expect(try await pipeline.fetch(["user": "1"]).source == "memory")
        clock.advance(by: .seconds(10))
        #expect(try await pipeline.fetch(["user": "1"], policy: .cacheOnly).attempts[0].outcome == .expired)
        #expect(try await pipeline.fetch(["user": "1"]).attempts.map(\.outcome) == [.expired, .hit])
        #expect(try await pipeline.fetch(["user": "1"], policy: .refresh).source == "api")
        #expect(origin.readCount == 3)
        let ends = recorder.lines.filter { $0.contains(" fetched ") }
        let wanted = ["value from api", "value from memory", "not_found from nobody", "value from api", "value from api"]
        #expect(ends == wanted.map { "friends,user=1 fetched " + $0 })
    }

    @Test func `a cancelled task and pipelines that were shut down give their errors`() async throws {
        let (pipeline, _, _) = try pipeline(["user"])
        _ = try await pipeline.fetch(["user": "1"])

        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await pipeline.fetch(["user": "1"])
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await pipeline.shutDown()
        await #expect(throws: ShutDownError.self) { try await pipeline.fetch(["user": "1"]) }
    }
}
