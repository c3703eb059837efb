import Pipeline
import PipelineFoundation
import PipelineYAML
import SourcesFile
import SourcesHTTP
import SourcesMemory

// The Swift of README.md and docs/swift.md, which shows it line by line.

struct Friend: Decodable, Equatable {
    let id: Int
    let name: String
}

func fetchFriends() async throws -> [Friend]? {
    let pipelines = try Pipelines(contentsOf: "pipeline.yaml", plugins: [.memory, .file, .http])
    let outcome = try await pipelines["friends"].fetch(["user": "42"])
    let friends = try outcome.value(as: [Friend].self)  // nil for not_found; throws LoadError when every tier failed
    for attempt in outcome.attempts { print(attempt) }  // memory: miss, disk: hit
    await pipelines.shutDown()  // writes what is pending
    return friends
}

func fetchWithPolicies(_ pipelines: Pipelines) async throws -> [Outcome] {
    let fresh = try await pipelines["friends"].fetch(["user": "42"], policy: .refresh)
    let cached = try await pipelines["friends"].fetch(["user": "42"], policy: .cacheOnly)
    let removal = try await pipelines["friends"].remove(["user": "42"])
    print(removal)
    return [fresh, cached]
}
