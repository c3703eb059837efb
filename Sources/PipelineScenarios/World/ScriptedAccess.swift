internal import Pipeline
private import Synchronization

/// The access of one process of a test to a scripted source. When the process is killed, nothing that it began has an effect any more.
final class ScriptedAccess: Sendable {
    let clock: PipelineClock
    private let time: SimulatedClock
    private let isOver = Atomic(false)

    init(_ time: SimulatedClock) {
        self.time = time
        clock = time.makeClock()
    }

    /// The time since the beginning, in nanoseconds.
    var elapsed: Int64 { time.now - SimulatedClock.start }

    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    func end() { isOver.store(true, ordering: .releasing) }

    /// Throws when the process was killed.
    func check() throws {
        if hasEnded { throw CancellationError() }
    }

    /// Waits as long as a call of `source` takes, for ever where it hangs, and never past `limit` and the deadline of `context`.
    func pass(
        _ duration: Duration, hangs: Bool = false, for key: Key, of source: String, limit: Duration? = nil,
        until deadline: Timestamp? = nil,
        _ log: SourceLog
    ) async throws {
        try check()
        guard duration > .zero || hangs else { return }
        let number = log.begin(OpenCall(source: source, key: key.text, began: elapsed, hangs: hangs))
        defer { log.end(number) }
        let end = hangs ? nil : clock.now + duration
        let limitEnd = limit.map { clock.now + $0 }
        let isLate = limitEnd.map { limit in end.map { limit < $0 } ?? true } ?? false
        let wake = isLate ? limitEnd : end
        do {
            if let deadline, wake.map({ deadline < $0 }) ?? true {
                try await wait(until: deadline)
                throw SourceError("no answer before the deadline", kind: .timeout)
            }
            try await wait(until: wake)
        } catch let error as CancellationError {
            log.noteCancellation(of: source)
            throw error
        }
        try check()
        if isLate { throw SourceError("no answer within \(limit?.spelling ?? "")", kind: .timeout) }
    }

    private func wait(until moment: Timestamp?) async throws {
        guard let moment else { return try await Race<Void>().value() }
        try await clock.sleep(for: moment.duration(since: clock.now))
    }
}
