/// How long those who share a load wait for it: until their own deadline, and a moment longer, so that the load's account of it comes first.
struct Patience: Sendable {
    private static let grace = Duration.milliseconds(20)

    let clock: PipelineClock
    /// What they get then.
    let overdue: LoadReply

    /// When somebody with this deadline stops waiting.
    static func end(of deadline: Timestamp) -> Timestamp { deadline + grace }
}
