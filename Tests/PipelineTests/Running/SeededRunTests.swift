import PipelineTesting
import PipelineYAML
import SourcesMemory
import Synchronization
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// Runs that draw their random numbers from a seed.
@Suite struct SeededRunTests {
    /// The keys that a memory cache let go, and how long the copies of another are fresh, over a few hundred fetches.
    private func run(_ random: RandomGenerator) async throws -> (gone: [String], lives: [Int64]) {
        let time = ManualClock()
        let shared = StubSource("shared", clock: time.clock)
        let origin = StubOrigin("origin", clock: time.clock)
        origin.answers("[1]")
        let text = """
            sources:
              memory: { type: memory, max_entries: 4096 }
              shared: { type: stub_shared }
              origin: { type: stub_origin }
            pipelines:
              friends:
                parameters: [user]
                tiers: [memory, { source: shared, ttl: 1h, jitter: 0.5 }, origin]
            """
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(
            plugins: [
                .memory, SourcePlugin(cache: "stub_shared", summary: "", capabilities: [.keepsMetadata]) { _ in shared },
                SourcePlugin(origin: "stub_origin", summary: "", capabilities: [.neverMisses]) { _ in origin },
            ], environment: ConfigEnvironment([:]))
        let gone = Mutex<[String]>([])
        let pipelines = try Pipelines(
            report, clock: time.clock, random: random,
            observers: [{ event in if case .eviction(_, let key?) = event { gone.withLock { $0.append(key.text) } } }])
        let friends = try pipelines.pipeline(named: "friends")
        for number in 0..<4_400 {
            try await friends.fetch(Key(pipeline: "friends", parameters: ["user": "\(number)"])).waitForWrites()
        }
        await pipelines.flush()
        let now = time.now
        let lives = (0..<4_400).map { number in
            let copy = shared[Key(pipeline: "friends", parameters: ["user": "\(number)"])]
            return (copy?.freshUntil ?? now).duration(since: now).saturatedNanoseconds
        }
        return (gone.withLock(\.self), lives)
    }

    @Test func `with one seed what goes and how long copies are fresh is the same, with another it is not`() async throws {
        let (one, same, other) = (try await run(.seeded(1)), try await run(.seeded(1)), try await run(.seeded(2)))

        #expect(one == same)
        #expect(one.gone != other.gone)
        #expect(one.lives != other.lives)
        let hour: Int64 = 3_600_000_000_000
        #expect(one.lives.allSatisfy { (hour / 2...hour).contains($0) })
        // Worked out by another program: nothing of it changes from process to process.
        #expect(one.lives.prefix(3) == [2_257_592_836_927, 1_852_195_043_543, 2_800_153_409_299])
        #expect(one.gone.prefix(3) == ["friends,user=25", "friends,user=42", "friends,user=7"])
        #expect(one.gone.count == 304)
    }

    @Test func `a seed gives the numbers of SplitMix64`() {
        let random = RandomGenerator.seeded(1_234_567)

        // From the reference implementation.
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        #expect(random.next() == 9_817_491_932_198_370_423)
        #expect(RandomGenerator.system.next() != RandomGenerator.system.next())
    }

    @Test func `the longest ttl with the least jitter is no more than it says`() async throws {
        let time = ManualClock()
        let longest = Duration.nanoseconds(Int64.max)
        for seed in UInt64(0)..<200 {
            let shared = StubSource("shared", clock: time.clock)
            var policy = TierPolicy(ttl: longest)
            policy.jitter = 1e-300
            let tier = Tier("shared", shared, policy: policy, clock: time.clock, random: .seeded(seed))
            let log = WriteLog()
            await TierReference(tier).store(Entry([1], created: time.now), for: Call(Key(pipeline: "friends")), Standing(), log: log)
            try await log.settle()
            #expect(shared[Key(pipeline: "friends")] != nil)
        }
    }
}
