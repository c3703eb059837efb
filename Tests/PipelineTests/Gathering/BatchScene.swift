import PipelineTesting
import SourcesMemory

@testable import Pipeline

/// A pipeline `users` over memory, where a test wants it a slower cache, and origins that read several keys at once, on a manual clock.
struct BatchScene {
    let time = ManualClock()
    let memory = MemorySource()
    let disk: BatchCache
    let api: BatchStub
    let spare: BatchStub
    let users: DataPipeline

    init(
        policy: PipelinePolicy = PipelinePolicy(), hasDisk: Bool = false, hasSpare: Bool = false, parameters: [ParameterSpec] = ["id"],
        most: Int = 50, window: Duration = .zero, memoryTTL: Duration? = nil,
        tier: (inout TierPolicy) -> Void = { _ in }
    ) throws {
        disk = BatchCache(StubSource("disk", clock: time.clock))
        api = BatchStub(time, most: most, window: window)
        spare = BatchStub(time)
        var origin = TierPolicy()
        tier(&origin)
        var first = TierSpec(SourceSpec("memory", memory, capabilities: [.keepsNotFound]))
        if let memoryTTL { first.policy.ttl = memoryTTL }
        var tiers = [first]
        if hasDisk { tiers.append(TierSpec(SourceSpec("disk", disk, capabilities: [.keepsMetadata]))) }
        tiers.append(TierSpec(SourceSpec("api", api), origin))
        if hasSpare { tiers.append(TierSpec(SourceSpec("spare", spare))) }
        users = try DataPipeline(PipelineSpec("users", parameters: parameters, policy: policy, tiers: tiers), clock: time.clock)
    }

    /// Moves time on by `step`, again and again, until no load is under way.
    func pass(_ step: Duration) async {
        while users.loadsUnderWay > 0, !Task.isCancelled {
            time.advance(by: step)
            await Task.yield()
        }
    }

    static func key(_ id: String) -> Key { Key(pipeline: "users", parameters: ["id": id]) }
    static func keys(_ ids: some Sequence<Int>) -> [Key] { ids.map { key("\($0)") } }

    func fetch(_ ids: some Sequence<Int>, policy: FetchPolicy = .default, timeout: Duration? = nil) async throws -> [Outcome] {
        try await users.fetch(many: Self.keys(ids), policy: policy, timeout: timeout)
    }
}
