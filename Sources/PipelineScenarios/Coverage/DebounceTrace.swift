internal import Pipeline
internal import PipelineConfig

/// The ends of the debounced writes of one process.
struct DebounceTrace {
    private struct Pending {
        /// The moment when the first value of the wait came.
        let since: Duration
        var last: Duration
        var hasFailed = false
    }

    private struct Place: Hashable {
        let source: String
        let key: String
    }

    private let pipeline: PipelinePlan
    private var pending: [Place: Pending] = [:]

    init(_ pipeline: PipelinePlan) {
        self.pipeline = pipeline
    }

    private func policy(_ source: String) -> TierPolicy? {
        pipeline.tiers.first { $0.source.name == source }.map(\.policy).flatMap { $0.debounce == nil ? nil : $0 }
    }

    private mutating func schedule(_ source: String, _ event: ScenarioEvent) {
        let place = Place(source: source, key: event.key)
        if pending[place]?.hasFailed == false {
            pending[place]?.last = event.end
        } else {
            pending[place] = Pending(since: event.end, last: event.end)
        }
    }

    /// Notes an answer of `source` to a refresh in the background.
    mutating func refreshed(by source: String, _ event: ScenarioEvent) {
        for cache in pipeline.tiers.first(where: { $0.source.name == source })?.writesBackTo ?? [] where policy(cache) != nil {
            schedule(cache, event)
        }
    }

    /// The end of the write that `part` tells of; nil if it was not debounced, or goes on.
    mutating func branch(of part: ScenarioEvent.Part, _ event: ScenarioEvent) -> String? {
        guard let policy = policy(part.source), let debounce = policy.debounce else { return nil }
        if part.outcome == "scheduled" {
            // When a fetch ended that was started earlier is not known.
            if event.kind != .finish { schedule(part.source, event) }
            return nil
        }
        guard event.kind == .write, ["written", "renewed", "failed"].contains(part.outcome) else { return nil }
        let place = Place(source: part.source, key: event.key)
        guard let wait = pending[place] else { return "late" }
        guard !wait.hasFailed else {
            if part.outcome != "failed" { pending[place] = nil }
            return nil
        }
        if part.outcome == "failed" { pending[place]?.hasFailed = true } else { pending[place] = nil }
        let longest = wait.since + (policy.maxDelay ?? TierPolicy.defaultMaxDelay(debounce: debounce))
        let quiet = wait.last + debounce
        if event.time < min(quiet, longest) { return "flushed" }
        return longest < quiet ? "at max_delay" : "late"
    }

    /// Drops what waits for `key`, or everything; gives the sources that it waited for.
    mutating func drop(_ key: String?) -> [String] {
        let dropped = pending.keys.filter { key == nil || $0.key == key }
        for place in dropped { pending[place] = nil }
        return dropped.map(\.source).sorted()
    }
}

extension ScenarioEvent {
    /// The moment when it ended.
    var end: Duration { time + took }
}
