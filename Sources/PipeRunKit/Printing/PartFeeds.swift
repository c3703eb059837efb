internal import Pipeline
internal import Synchronization

/// Tells people what the feeds of parts do: each state of a source that differs from the one before. Many keys of a part have feeds of one
/// source, which mostly do the same.
final class PartFeeds: Sendable {
    private struct Name: Hashable {
        let pipeline: String
        let source: String
    }

    private let watched: String
    private let tell: @Sendable (String) -> Void
    private let told = Mutex<[Name: String]>([:])

    /// - Parameter watched: the pipeline whose own feeds are told of elsewhere.
    init(besides watched: String, tell: @escaping @Sendable (String) -> Void) {
        (self.watched, self.tell) = (watched, tell)
    }

    /// Takes an event. That a feed ends is not told: its key is no part any more, or all is over.
    func take(_ event: PipelineEvent) {
        guard case .feed(let feed, let source, let pipeline) = event, pipeline != watched, case .state(let status, _) = feed,
            status.state != .off
        else { return }
        let line = WatchPrinter.line(status)
        let isNew = told.withLock { told in told.updateValue(line, forKey: Name(pipeline: pipeline, source: source)) != line }
        if isNew { tell(line) }
    }
}
