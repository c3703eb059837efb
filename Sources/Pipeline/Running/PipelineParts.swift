/// What a pipeline runs with, as its sources give it.
struct PipelineParts {
    let order: PipelineOrder
    let tiers: [Tier]
    let clock: PipelineClock
    let closing: Closing
    let observer: PipelineEvent.Observer?
    /// Where this process hears the others; nil when no source tells it anything.
    let listening: Listening?
}
