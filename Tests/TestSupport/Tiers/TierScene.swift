package import Pipeline
package import PipelineTesting
package import SourcesMemory

/// A pipeline `friends` over real memory, a cache `disk` and a scripted origin `network`, on a manual clock; as in a file.
package struct TierScene: Sendable, FriendsScene {
    package let time: ManualClock
    package let memory = MemorySource()
    package let disk: any MiddleCache
    package let network: StubOrigin
    package let pipelines: Pipelines
    package let friends: DataPipeline

    package init(_ pipeline: String = "tiers: [memory, disk, network]", over disk: any MiddleCache, time: ManualClock) throws {
        let network = StubOrigin("network", clock: time.clock)
        network.answers("[\"v1\"]")
        self.time = time
        self.disk = disk
        self.network = network
        pipelines = try FriendsFile.pipelines(
            pipeline,
            sources: """
                memory: { type: stub_memory }
                disk: { type: \(disk.plugin.name), \(disk.fields) }
                network: { type: stub_network }
                """,
            plugins: [.scene(memory), disk.plugin, .scene(network)], clock: time.clock)
        friends = try pipelines["friends"]
    }

    /// Puts a copy into the cache in the middle, as another process would.
    package func hold(_ text: String) async throws {
        try await disk.hold(Entry(Array(text.utf8), created: time.now, stored: time.now), for: key)
    }

    /// What the cache in the middle holds, whether fresh or not.
    package func diskText() async throws -> String? { try await disk.entry(for: key)?.text }
}

extension SourcePlugin {
    /// The type `stub_memory`.
    package static func scene(_ memory: MemorySource) -> SourcePlugin {
        SourcePlugin("stub_memory", summary: "", capabilities: [.writes, .keepsMetadata, .keepsNotFound]) { _ in memory }
    }

    /// The type `stub_network`.
    package static func scene(_ network: StubOrigin) -> SourcePlugin {
        SourcePlugin("stub_network", summary: "", capabilities: [.neverMisses]) { _ in network }
    }
}
