/// The time that a load has to answer: the limit of its tier, or what is left until the deadline of the call where that is less.
struct TimeLimit: Sendable {
    let begin: Timestamp
    let allowed: Duration
    private let isDeadline: Bool
    /// What the deadline is, in words; nil for that of a fetch.
    private let words: String?

    init(_ limit: Duration, for call: Call, since begin: Timestamp) {
        self.begin = begin
        let left = call.deadline?.duration(since: begin)
        isDeadline = left.map { $0 < limit } ?? false
        allowed = min(limit, left ?? limit)
        words = call.part?.limit
    }

    var isOver: Bool { allowed <= .zero }
    var end: Timestamp { begin + allowed }

    /// The reply of a load that did not answer in time. A source that was not asked for want of time has not failed: no circuit counts it.
    func reply(of name: String, at now: Timestamp) -> LoadReply {
        let reason =
            switch words {
            case let words? where isDeadline: isOver ? "no time left of \(words)" : "no answer within \(words)"
            case _ where isDeadline:
                isOver ? "no time left until the deadline" : "no answer within the \(allowed.rounded) left until the deadline"
            default: "no answer within \(allowed.spelling)"
            }
        let elapsed = isOver ? .zero : now.duration(since: begin)
        var reply = LoadReply(
            .failed(isFinal: false),
            attempts: [
                Attempt(name, .timeout, duration: elapsed, reason: reason, error: isOver ? SourceError(reason, kind: .unasked) : nil)
            ])
        if isDeadline { reply.obstacle = .deadline }
        return reply
    }
}
