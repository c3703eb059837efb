@testable import PipelineSimulation
import Pipeline
import SourcesMemory
import Testing

struct MachineTests {
    private static let naive: [(policies: String, rules: NaiveRules)] = [
        ("", NaiveRules(ttl: 100_000_000, takes: 20_000_000)),
        ("    stale_while_revalidate: 300ms\n", NaiveRules(ttl: 100_000_000, staleWhileRevalidate: 300_000_000, takes: 20_000_000)),
        (
            "    stale_if_error: 2s\n",
            NaiveRules(ttl: 100_000_000, staleIfError: 2_000_000_000, takes: 20_000_000, down: 1_000_000_000..<5_000_000_000)
        ),
        (
            "    stale_while_revalidate: 150ms\n    stale_if_error: 2s\n",
            NaiveRules(
                ttl: 100_000_000, staleWhileRevalidate: 150_000_000, staleIfError: 2_000_000_000, takes: 20_000_000,
                down: 1_000_000_000..<5_000_000_000)
        ),
    ]

    @Test(arguments: 0..<4)
    func `OS-02 The rules on a timed trace equal a calculation by hand`(_ number: Int) async throws {
        let (policies, rules) = Self.naive[number]
        let down = rules.down.isEmpty ? "" : ", down: { from: 1s, for: 4s }"
        let pipeline = try SimulatedTown.pipeline(
            "{ source: memory, ttl: 100ms }, api", policies, model: "sources:\n  api: { takes: 20ms\(down) }\n",
            sources: SimulatedTown.sources.replacing("max_entries: 100", with: "max_entries: 100000"))
        let trace = SimulatedTown.trace(seed: 11, requests: 6_000, keys: 60, every: 1.7)

        let (engine, machine) = try await SimulatedTown.answers(pipeline, trace)

        var expected = [NaiveRules.Reply?](repeating: nil, count: trace.requests.count)
        for key in trace.keys.indices {
            let indices = trace.requests.indices.filter { trace.requests[$0].key == Int32(key) }
            for (index, reply) in zip(indices, rules.replies(at: indices.map { trace.requests[$0].time })) { expected[index] = reply }
        }
        #expect(machine.map { $0.map(Self.reply) } == expected)
        #expect(engine.map { $0.map(Self.reply) } == expected)
        let words = Set(expected.compactMap { $0?.word })
        #expect(words.isSuperset(of: rules.down.isEmpty ? ["memory", "api", "joined"] : ["memory", "api", "joined", "stale"]))
    }

    private static func reply(_ answer: Answer) -> NaiveRules.Reply {
        let word: String =
            switch answer.ending {
            case .failed: "failed"
            case .notFound: "not found"
            case .value where answer.isStale: "stale"
            case .value where answer.isJoined: "joined"
            case .value: answer.tier == 0 ? "memory" : "api"
            }
        return NaiveRules.Reply(word: word, latency: answer.latency)
    }

    @Test
    func `The memory of a simulation equals the memory source, request for request`() async throws {
        let pipeline = try SimulatedTown.pipeline("{ source: memory }, api", seed: 7)
        let trace = SimulatedTown.trace(seed: 3, requests: 20_000, keys: 900, every: 1)
        let random = RandomGenerator.seeded(8)
        let memory = MemorySource(maxEntries: 100, seed: random.next())
        var held: [Int32] = []
        for request in trace.requests {
            let key = trace.keys[Int(request.key)]
            let isHit = memory.peek(key) != nil
            held.append(isHit ? 0 : 1)
            if !isHit { try await memory.write(Entry([], created: Timestamp(nanoseconds: 0), source: "api"), for: key) }
        }

        let machine = try Machine(pipeline, trace: trace, warmUp: 0, recording: trace.requests.count)
        await machine.play(0..<trace.requests.count)

        #expect(machine.record.map { $0?.tier } == held)
    }

    @Test
    func `OS-08 A million requests of one key while it loads make one call`() async throws {
        let pipeline = try SimulatedTown.pipeline("{ source: memory, ttl: 1m }, api", model: "sources:\n  api: { takes: 2s }\n")
        let trace = SimulatedTown.trace((0..<1_000_000).map { (Double($0) / 1_000, 0) })

        let counts = try await SimulatedTown.counts(pipeline, trace)

        #expect(counts.tiers.map(\.calls) == [0, 1])
        #expect(counts.joined == 999_999)
        #expect(counts.latency(at: 1) == 2_000_000_000)
    }

    @Test
    func `OS-09 A joined request waits for the rest of the load, and is in no tier's figure`() async throws {
        let pipeline = try SimulatedTown.pipeline("{ source: memory, ttl: 1m }, api", model: "sources:\n  api: { takes: 20ms }\n")
        let trace = SimulatedTown.trace([(0, 0), (5, 0), (19, 0), (20, 0)])

        let (engine, machine) = try await SimulatedTown.answers(pipeline, trace)

        #expect(machine.map { $0?.latency } == [20_000_000, 15_000_000, 1_000_000, 0])
        #expect(machine.map { $0?.isJoined } == [false, true, true, false])
        #expect(engine == machine)
    }

    @Test
    func `A window acts from its beginning to just before its end`() async throws {
        let pipeline = try SimulatedTown.pipeline("api", model: "sources:\n  api: { down: { from: 10ms, for: 10ms } }\n")
        let trace = SimulatedTown.trace([(9.999999, 0), (10, 0), (19.999999, 0), (20, 0)])

        let (engine, machine) = try await SimulatedTown.answers(pipeline, trace)

        #expect(machine.map { $0?.ending } == [.value, .failed, .failed, .value])
        #expect(engine == machine)
    }

    @Test
    func `OS-03 Requests of the same time are played in the file's order`() async throws {
        let pipeline = try SimulatedTown.pipeline(
            "{ source: memory, ttl: 1m }, api", sources: SimulatedTown.sources.replacing("max_entries: 100", with: "max_entries: 1"))
        let trace = SimulatedTown.trace([(0, 0), (0, 1), (0, 1), (0, 0), (0, 1)])

        let (engine, machine) = try await SimulatedTown.answers(pipeline, trace)

        #expect(machine.map { $0?.tier } == [1, 1, 0, 1, 1])
        #expect(engine == machine)
    }
}
