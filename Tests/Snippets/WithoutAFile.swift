import Pipeline
import SourcesMemory

// The Swift of the article *Without a file*, which shows it line by line.

struct FriendsAPI: Source {
    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
}

func pipelinesWithoutAFile() async throws -> Outcome {
    let memory = SourceSpec("memory", MemorySource(maxEntries: 10_000), capabilities: [.keepsNotFound])
    let api = SourceSpec("api", FriendsAPI())

    let friends = PipelineSpec(
        "friends", parameters: ["user"], policy: PipelinePolicy(staleIfError: .seconds(3600)),
        tiers: [TierSpec(memory, ttl: .seconds(30)), TierSpec(api)])
    let pipelines = try Pipelines([friends])

    let outcome = try await pipelines.pipeline(named: "friends").fetch(["user": "42"])
    await pipelines.shutDown()
    return outcome
}
