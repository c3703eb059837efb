internal import Pipeline
internal import PipelineConfig
internal import PipelineSending

/// Tells people that an outbox cannot be opened: values are shown without its sends.
enum OutboxWarning {
    static let observer: PipelineEvent.Observer = { event in
        guard case .change(let event as OutboxEvent, _, _) = event, let problem = event.problem else { return }
        Console.say("warning: what is to be sent is not shown: \(problem)".withLongWordsCut)
    }
}
