import Pipeline
/// Counts what comes through a feed, and says what to report: messages together, at most once a second; what was skipped or dropped at once,
/// and then at most once a second.
struct FeedCounts: Sendable {
    private static let second = Duration.seconds(1)

    /// Messages that could not be used.
    private struct Rare: Sendable {
        var count = 0
        var reason = ""
        var last: Timestamp?

        mutating func add(_ reason: String) {
            count += 1
            self.reason = reason
        }

        /// When it may be reported; nil when there is nothing to report.
        func due(at now: Timestamp) -> Timestamp? { count == 0 ? nil : last.map { max(now, $0 + FeedCounts.second) } ?? now }

        mutating func take(at now: Timestamp) -> (count: Int, reason: String)? {
            guard let due = due(at: now), due <= now else { return nil }
            defer { (count, last) = (0, now) }
            return (count, reason)
        }
    }

    private var messages = 0
    private var since = Timestamp.distantPast
    private var skipped = Rare()
    private var dropped = Rare()
    /// When an alarm was asked for.
    private var alarm: Timestamp?

    /// A message came.
    mutating func take(at now: Timestamp) {
        if messages == 0 { since = now }
        messages += 1
    }

    /// A message was skipped.
    mutating func skip(_ reason: String) { skipped.add(reason) }

    /// A change was dropped.
    mutating func drop(_ reason: String) { dropped.add(reason) }

    /// What must be reported at `now`, and when to ask again; nil for a moment when that is arranged, or there is nothing.
    mutating func due(at now: Timestamp) -> (events: [FeedEvent], next: Timestamp?) {
        if let alarm, alarm <= now { self.alarm = nil }
        var events: [FeedEvent] = []
        let rare = (skipped.take(at: now), dropped.take(at: now))
        if messages > 0, now >= since + Self.second || rare.0 != nil || rare.1 != nil {
            events.append(.messages(messages))
            messages = 0
        }
        if let skipped = rare.0 { events.append(.skipped(skipped.count, reason: skipped.reason)) }
        if let dropped = rare.1 { events.append(.dropped(dropped.count, reason: dropped.reason)) }
        let moments = [messages > 0 ? since + Self.second : nil, skipped.due(at: now), dropped.due(at: now)].compactMap { $0 }
        guard let next = moments.min(), alarm.map({ next < $0 }) ?? true else { return (events, nil) }
        alarm = next
        return (events, next)
    }

    /// The messages that were not reported yet.
    mutating func rest() -> [FeedEvent] {
        defer { messages = 0 }
        return messages > 0 ? [.messages(messages)] : []
    }
}
