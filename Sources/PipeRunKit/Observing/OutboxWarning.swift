internal import Pipeline
internal import PipelineConfig
internal import PipelineSending

/// Tells people that an outbox cannot be opened: values are shown without its sends.
enum OutboxWarning {
    static let observer: PipelineEvent.Observer = { event in
        guard case .change(let event as OutboxEvent, let outbox, _) = event, let problem = event.problem else { return }
        let words = "warning: the outbox `\(outbox)` cannot be opened: \(problem); its sends are not shown, and no others are taken in"
        Console.say(words.withLongWordsCut)
    }
}
