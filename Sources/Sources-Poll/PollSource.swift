public import Pipeline
public import PipelineConfig
public import PipelineLive

/// A change source that knows of no changes, and has the value loaded again at regular intervals instead.
///
/// Each key is polled by itself: a key whose load takes long delays no other, and keys that begin together drift apart.
public struct PollSource: LiveSource {
    private let every: Duration
    private let clock: PipelineClock
    private let random: RandomGenerator

    /// Polls with pauses of `every`, longer or shorter by up to 10 % at random.
    public init(every: Duration, clock: PipelineClock = .system, random: RandomGenerator = .system) {
        self.every = every
        self.clock = clock
        self.random = random
    }

    /// The key itself: nothing is shared.
    public func channel(for key: Key) -> String { key.text }

    /// Loads the value again and again, with a pause after the end of each load, until the task is cancelled. A load that fails changes
    /// nothing in that.
    public func listen(for key: Key, to listener: LiveListener) async throws -> LiveEnding {
        listener.begin()
        while true {
            try await clock.sleep(for: nextPause())
            try await listener.refresh()
        }
    }

    /// Answers that the source is reachable: there is nothing to reach, and the origins are checked as tiers.
    public func check() async throws -> Reachability { .reachable }

    private func nextPause() -> Duration {
        let pause = every.saturatedNanoseconds
        var random = random
        let offset = Int64.random(in: -(pause / 10)...(pause / 10), using: &random)
        let (sum, isOver) = pause.addingReportingOverflow(offset)
        return .nanoseconds(isOver ? .max : sum)
    }
}

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
