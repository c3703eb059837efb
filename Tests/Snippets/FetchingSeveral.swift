import Pipeline
import PipelineJSON

func fetchSeveral(_ users: DataPipeline) async throws {
    let keys = try ["7", "8", "9"].map { try users.key(["id": $0]) }
    for outcome in try await users.fetch(many: keys) { print(outcome.key, try outcome.payload ?? []) }
}

struct UsersAPI: Source {
    let users: @Sendable (_ ids: [String]) async throws -> [UInt8]
    let clock: PipelineClock

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        Entry(try await users([key["id"] ?? ""]), created: clock.now)
    }

    var batching: Batching? {
        Batching(of: "id", most: 50) { keys, context in
            let list = try await users(keys.compactMap { $0["id"] })
            return try BatchAnswer(list, id: JSONPointer(parsing: "/id"), of: "id", for: keys, as: Entry([], created: clock.now))
        }
    }
}
