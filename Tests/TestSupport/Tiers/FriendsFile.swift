package import Pipeline
import PipelineYAML

/// The file of a scene: a pipeline `friends` with a parameter `user`.
package enum FriendsFile {
    /// The pipelines of the file with these lines below `sources:`, and these below the pipeline's name.
    package static func pipelines(
        _ pipeline: String, sources: String, plugins: [SourcePlugin], clock: PipelineClock, observers: [PipelineEvent.Observer] = []
    ) throws -> Pipelines {
        let text = """
            version: 1
            sources:
            \(indented(sources, by: 2))
            pipelines:
              friends:
                parameters: { user: { default: "42" } }
            \(indented(pipeline, by: 4))
            """
        let report = ConfigFile(text: Array(text.utf8), name: "scene.yaml").report(plugins: plugins, environment: ConfigEnvironment([:]))
        return try Pipelines(report, clock: clock, observers: observers)
    }

    private static func indented(_ text: String, by width: Int) -> String {
        text.split(separator: "\n").map { String(repeating: " ", count: width) + $0 }.joined(separator: "\n")
    }
}
