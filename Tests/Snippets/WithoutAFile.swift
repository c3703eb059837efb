import Pipeline
import SourcesMemory

// The Swift of the article *Without a file*, which shows it line by line.

struct FriendsAPI: Source {
    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
}

func pipelinesWithoutAFile() async throws -> Outcome {
    let memory = SourceSpec("memory", MemorySource(maxEntries: 10_000), capabilities: .keepsNotFound)
    let api = SourceSpec("api", FriendsAPI())

    var friends = PipelineSpec("friends", parameters: ["user"], tiers: [TierSpec(memory, ttl: .seconds(30)), TierSpec(api)])
    friends.policy.staleIfError = .seconds(3600)
    let pipelines = try Pipelines([friends])

    let outcome = try await pipelines.pipeline(named: "friends").fetch(["user": "42"])
    await pipelines.shutDown()
    return outcome
}
