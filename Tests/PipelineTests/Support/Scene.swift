import PipelineConfig
import PipelineTesting
import SourcesMemory
import TestSupport

@testable import Pipeline

/// A pipeline `friends` over real memory, a scripted cache `disk` and a scripted origin `network`, on a manual clock.
///
/// Its tiers and policies are written as in a file, so that a test reads as what a user would write.
struct Scene: FriendsScene {
    let time = ManualClock()
    let memory = MemorySource()
    let disk: StubSource
    let network: StubOrigin
    let pipelines: Pipelines
    let friends: DataPipeline

    init(
        _ pipeline: String = "tiers: [memory, disk, network]", extra: [SourcePlugin] = [], sources: String = "",
        observers: [PipelineEvent.Observer] = []
    ) throws {
        disk = StubSource("disk", clock: time.clock)
        network = StubOrigin("network", clock: time.clock)
        network.answers("[\"v1\"]")
        var file = FriendsFile(pipeline, disk: .stub(disk))
        file.sources = sources
        file.plugins = extra
        pipelines = try file.pipelines(memory, network, on: time, observers: observers)
        friends = try pipelines.pipeline(named: "friends")
    }

    /// What the disk holds, whether fresh or not.
    var diskText: String? { disk.text(for: key) }
}

extension SourcePlugin {
    /// A type whose source is `disk`.
    static func stub(_ disk: StubSource) -> SourcePlugin {
        SourcePlugin("stub_disk", summary: "", capabilities: [.writes, .keepsMetadata]) { _ in disk }
    }
}
