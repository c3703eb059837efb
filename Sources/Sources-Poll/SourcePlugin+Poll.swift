internal import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// The plugin behind `type: poll`.
    public static let poll = SourcePlugin(
        live: "poll", summary: "Asks the origins of a pipeline again at regular intervals.", capabilities: [.signalsOnly],
        fields: Field(
            "every", default: Duration.seconds(30), range: Duration.seconds(1)...,
            "The pause between the end of one load and the start of the next, longer or shorter by up to 10 % at random.", example: "30s")
    ) { context, every in
        PollSource(every: every, clock: context.clock, random: context.random)
    }
}
