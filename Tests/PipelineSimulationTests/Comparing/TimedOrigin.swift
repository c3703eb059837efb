import Pipeline

/// An origin that takes as long as it is told at that moment.
struct TimedOrigin: Source {
    let clock: PipelineClock
    /// By the time since the origin was made.
    let latency: @Sendable (Duration) -> Duration
    private let start: Timestamp

    init(clock: PipelineClock, latency: @escaping @Sendable (Duration) -> Duration) {
        (self.clock, self.latency, start) = (clock, latency, clock.now)
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let begin = clock.now
        try await clock.sleep(for: latency(begin.duration(since: start)))
        return Entry(Array("[1]".utf8), created: begin)
    }
}
