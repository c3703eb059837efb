internal import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// The plugin behind `type: watch`.
    public static let watch = SourcePlugin(
        live: "watch", summary: "Reports when a file changes.", capabilities: [.signalsOnly],
        fields: Field<PathTemplate>(
            "path", "The file to watch, with the parameters of the key. It and its folders need not exist yet.", example: "friends.json")
    ) { context, path in
        WatchSource(path: path, clock: context.clock)
    }
}
