import PipelineTesting
import SourcesMemory
import TestSupport

@testable import Pipeline

/// A pipeline `friends` over real memory, a scripted cache `disk` and a scripted origin `network`, on a manual clock.
///
/// Its tiers and policies are written as in a file, so that a test reads as what a user would write.
struct Scene: FriendsScene {
    let time = ManualClock()
    let memory: MemorySource
    let disk: StubSource
    let network: StubOrigin
    let pipelines: Pipelines
    let friends: DataPipeline

    init(
        _ pipeline: String = "tiers: [memory, disk, network]", extra: [SourcePlugin] = [], sources: String = "",
        observers: [PipelineEvent.Observer] = []
    ) throws {
        let memory = MemorySource()
        let disk = StubSource("disk", clock: time.clock)
        let network = StubOrigin("network", clock: time.clock)
        network.answers("[\"v1\"]")
        self.memory = memory
        self.disk = disk
        self.network = network
        pipelines = try FriendsFile.pipelines(
            pipeline,
            sources: """
                memory: { type: stub_memory }
                disk: { type: stub_disk }
                network: { type: stub_network }
                \(sources)
                """,
            plugins: [
                .scene(memory), .scene(network),
                SourcePlugin("stub_disk", summary: "", capabilities: [.writes, .keepsMetadata]) { _ in disk },
            ] + extra, clock: time.clock, observers: observers)
        friends = try pipelines["friends"]
    }

    /// What the disk holds, whether fresh or not.
    var diskText: String? { disk.text(for: key) }
}
