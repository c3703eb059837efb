import Pipeline

/// Virtual time in nanoseconds, for one ``JobLoop``: it knows who sleeps until when, and moves from one deadline to the next.
final class SimulatedClock: @unchecked Sendable {  // Only its loop's thread touches it.
    private struct Sleeper {
        let deadline: Int64
        let continuation: UnsafeContinuation<Void, any Error>
    }

    /// 2026-01-01T00:00:00Z.
    static let start: Int64 = 1_767_225_600_000_000_000

    private(set) var now = SimulatedClock.start
    private var sleepers: [Int: Sleeper] = [:]
    private var arrivals = 0
    private let loop: JobLoop

    init(_ loop: JobLoop) {
        self.loop = loop
    }

    /// The clock for the engine. Make it once.
    private(set) lazy var clock = makeClock()

    /// The same for what outlives the engine's process. It has alarms of its own: one that is set here wakes none of an engine that crashed.
    private(set) lazy var clockOfSources = makeClock()

    private func makeClock() -> PipelineClock {
        PipelineClock(
            wall: { Timestamp(nanoseconds: self.now) },
            monotonic: { .nanoseconds(self.now - Self.start) + .seconds(1_000) },
            sleep: { try await self.sleep(for: $0) })
    }

    /// When the next sleeper wakes; nil when no task sleeps.
    var nextDeadline: Int64? { sleepers.values.map(\.deadline).min() }

    /// Moves on to `moment`, waking everybody on the way at their time, and lets all that follows happen.
    func advance(to moment: Int64) {
        loop.drain()
        while let deadline = nextDeadline, deadline <= moment { wakeNext() }
        now = max(now, moment)
    }

    /// Moves on to the next deadline and lets all that follows happen; false when no task sleeps.
    @discardableResult
    func wakeNext() -> Bool {
        guard let (number, sleeper) = sleepers.min(by: { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }) else { return false }
        sleepers[number] = nil
        now = max(now, sleeper.deadline)
        sleeper.continuation.resume()
        loop.drain()
        return true
    }

    /// Ends every sleep as cancelled, as when the process ends; what follows in those tasks is of no interest.
    func abandonSleepers() {
        let abandoned = sleepers.values
        sleepers = [:]
        for sleeper in abandoned { sleeper.continuation.resume(throwing: CancellationError()) }
        loop.drain()
        // Its alarms have gone with the process, too.
        clock = makeClock()
    }

    private func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard duration > .zero, !nanoseconds.overflow else { return }
        arrivals += 1
        let number = arrivals
        let deadline = now + nanoseconds.partialValue + attoseconds / 1_000_000_000
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
                }
            }
        } onCancel: {
            sleepers.removeValue(forKey: number)?.continuation.resume(throwing: CancellationError())
        }
    }
}
