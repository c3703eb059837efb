package import Pipeline
package import PipelineConfig
package import PipelineTesting
import PipelineYAML
package import SourcesMemory

/// The file of a scene: a pipeline `friends` with a parameter `user`, and the sources `memory`, `disk` and `network`.
package struct FriendsFile: Sendable {
    /// What stands below the pipeline's name.
    package var pipeline: String
    /// The plugin of `disk`, and its fields besides the type as in a flow mapping.
    package var disk: SourcePlugin
    package var diskFields = ""
    /// More sources, a line each, and their plugins.
    package var sources = ""
    package var plugins: [SourcePlugin] = []

    package init(_ pipeline: String, disk: SourcePlugin) {
        self.pipeline = pipeline
        self.disk = disk
    }

    /// What the file comes to over `memory` and `network`.
    package func pipelines(
        _ memory: MemorySource, _ network: StubOrigin, on time: ManualClock, observers: [PipelineEvent.Observer] = []
    ) throws -> Pipelines {
        let text = """
            version: 1
            sources:
              memory: { type: stub_memory }
              disk: { type: \(disk.name), \(diskFields) }
              network: { type: stub_network }
            \(Self.indented(sources, by: 2))
            pipelines:
              friends:
                parameters: { user: { default: "42" } }
            \(Self.indented(pipeline, by: 4))
            """
        let own = [
            disk, SourcePlugin("stub_memory", summary: "", capabilities: [.writes, .keepsMetadata, .keepsNotFound]) { _ in memory },
            SourcePlugin("stub_network", summary: "", capabilities: [.neverMisses]) { _ in network },
        ]
        let report = ConfigFile(text: Array(text.utf8), name: "scene.yaml").report(
            plugins: own + plugins, environment: ConfigEnvironment([:]))
        return try Pipelines(report, clock: time.clock, observers: observers)
    }

    private static func indented(_ text: String, by width: Int) -> String {
        text.split(separator: "\n").map { String(repeating: " ", count: width) + $0 }.joined(separator: "\n")
    }
}
