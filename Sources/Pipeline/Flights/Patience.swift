/// How long those who share a load wait for it: until their own deadline, and a moment longer, so that the load's account of it comes first.
final class Patience: Sendable {
    private static let grace = Duration.milliseconds(20)

    let clock: PipelineClock
    /// What they get then.
    let overdue: LoadReply

    init(clock: PipelineClock, overdue: LoadReply) {
        self.clock = clock
        self.overdue = overdue
    }

    /// When somebody with this deadline stops waiting.
    func end(of deadline: Timestamp) -> Timestamp { deadline + Self.grace }
}
