import Pipeline
import PipelineFoundation
import PipelineYAML
import SourcesFile
import SourcesHTTP
import SourcesMemory

// The Swift of README.md, docs/swift.md and the article *Loading*, which show it line by line.

struct Friend: Decodable, Equatable {
    let id: Int
    let name: String
}

func fetchFriends() async throws -> [Friend]? {
    let pipelines = try Pipelines(contentsOf: "pipeline.yaml", plugins: [.memory, .file, .http])
    let outcome = try await pipelines.pipeline(named: "friends").fetch()
    let friends = try outcome.value(as: [Friend].self)  // nil for not_found; throws LoadError when every tier failed
    for attempt in outcome.attempts { print(attempt) }  // memory: miss, disk: hit
    await pipelines.shutDown()  // writes what is pending
    return friends
}

func fetchFriendsOfOne() async throws -> [Friend]? {
    let pipelines = try Pipelines(contentsOf: "pipeline.yaml", plugins: [.memory, .file, .http])
    let outcome = try await pipelines.pipeline(named: "friends").fetch(["user": "42"])
    let friends = try outcome.value(as: [Friend].self)  // nil for not_found; throws LoadError when every tier failed
    for attempt in outcome.attempts { print(attempt) }  // memory: miss, disk: hit
    await pipelines.shutDown()  // writes what is pending
    return friends
}

func printAttempts(of pipelines: Pipelines) async throws {
    let friends = try pipelines.pipeline(named: "friends")
    let outcome = try await friends.fetch(["user": "42"])
    for attempt in outcome.attempts { print(attempt) }
}

func fetchForAPerson(_ friends: DataPipeline, show: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void) async throws -> Outcome {
    let outcome = try await friends.fetch(["user": "42"], priority: .high) { progress in
        show(progress.received, progress.total)
    }
    return outcome
}

func prefetch(_ friends: DataPipeline, _ users: [String]) async throws {
    let keys = try users.map { try friends.key(["user": $0]) }
    let failed = try await friends.prefetch(keys, concurrency: 8)
    print(failed)
}

func fetchWithPolicies(_ friends: DataPipeline) async throws -> [Outcome] {
    let fresh = try await friends.fetch(["user": "42"], policy: .refresh)
    let cached = try await friends.fetch(["user": "42"], policy: .cacheOnly)
    let removal = try await friends.remove(["user": "42"])
    print(removal)
    return [fresh, cached]
}
