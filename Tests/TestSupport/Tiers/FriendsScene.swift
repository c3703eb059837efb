package import Pipeline
package import SourcesMemory

/// A scene around the pipeline `friends`, of which one key is fetched.
package protocol FriendsScene: Sendable {
    var memory: MemorySource { get }
    var friends: DataPipeline { get }
}

extension FriendsScene {
    package var key: Key { Key(pipeline: "friends", parameters: ["user": "42"]) }

    /// What memory holds, whether fresh or not.
    package var memoryText: String? { memory.peek(key)?.text }

    /// Fetches and lets every write end.
    @discardableResult
    package func fetch(_ policy: FetchPolicy = .default) async throws -> Outcome {
        let outcome = try await friends.fetch(key, policy: policy)
        try await outcome.waitForWrites()
        return outcome
    }

    /// Returns when so many fetches wait for a load of the key.
    package func waiters(_ count: Int) async throws {
        try await yieldUntil { friends.flights[0].waiterCount(of: key) == count }
    }
}
