package import Pipeline
package import PipelineTesting
package import SourcesMemory

/// A pipeline `friends` over real memory, a cache `disk` and a scripted origin `network`, on a manual clock; as in a file.
package struct TierScene: FriendsScene {
    package let time: ManualClock
    package let memory = MemorySource()
    package let disk: any MiddleCache
    package let network: StubOrigin
    package let pipelines: Pipelines
    package let friends: DataPipeline

    package init(_ pipeline: String = "tiers: [memory, disk, network]", over disk: any MiddleCache, time: ManualClock) throws {
        self.time = time
        self.disk = disk
        network = StubOrigin("network", clock: time.clock)
        network.answers("[\"v1\"]")
        var file = FriendsFile(pipeline, disk: disk.plugin)
        file.diskFields = disk.fields
        pipelines = try file.pipelines(memory, network, on: time)
        friends = try pipelines.pipeline(named: "friends")
    }

    /// Puts a copy into the cache in the middle, as another process would.
    package func hold(_ text: String) async throws {
        try await disk.hold(Entry(Array(text.utf8), created: time.now, stored: time.now), for: key)
    }

    /// What the cache in the middle holds, whether fresh or not.
    package func diskText() async throws -> String? { try await disk.entry(for: key)?.text }

    /// What a reader gets while a change of the key waits.
    package func textMeanwhile() async throws -> String? {
        disk.ordersReadsBehindChanges ? try await diskText() : try await friends.fetch(key).text
    }
}
