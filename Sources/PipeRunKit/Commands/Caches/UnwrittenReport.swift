internal import Pipeline
internal import PipelineConfig
private import Synchronization

/// Writes what waits before the process ends, within one bound, and names what could not be written unless that was said before.
final class UnwrittenReport: Sendable {
    private struct State {
        var said: Set<String> = []
        var end: Timestamp?
        var hasTimedOut = false
    }

    private let clock = PipelineClock.system
    private static let bound = Duration.seconds(5)
    /// A cache that has a limit of the same length, as SQLite's `busy_timeout` is by default, is to come to its end first: it has the
    /// better reason.
    private static let grace = Duration.milliseconds(500)
    private let state = Mutex(State())

    /// Notes writes that have been printed with what came of them.
    func note(_ records: [WriteRecord]) {
        state.withLock { $0.said.formUnion(records.filter { $0.outcome == .failed }.map(\.source)) }
    }

    /// The records of writes that ``flush(_:)`` has waited for, as they are printed: one that has not ended has failed.
    func final(_ records: [WriteRecord]) -> [WriteRecord] {
        records.map { $0.givenUp(because: "not written within \(Self.bound.written ?? "its time")") }
    }

    /// Waits for the writes of `outcome` that nothing delays, no longer than the bound; a cache that hangs is waited for once. Throws
    /// when the task is cancelled.
    func settle(_ outcome: Outcome) async throws {
        if state.withLock(\.hasTimedOut) { return }
        let isSettled = try await clock.race(until: clock.now + Self.bound + Self.grace, late: { false }) {
            try await outcome.waitForWrites()
            return true
        }
        if !isSettled { state.withLock { $0.hasTimedOut = true } }
    }

    /// Writes what waits and lets end what is being written, so that what is printed afterwards is final. Throws when the task is
    /// cancelled.
    func flush(_ pipelines: Pipelines) async throws {
        await pipelines.flush(within: remaining())
        try Task.checkCancellation()
    }

    /// Ends `pipelines`, and says what is not written.
    func shutDown(_ pipelines: Pipelines) async {
        say(await pipelines.shutDown(within: remaining()), of: pipelines)
    }

    /// Says what is not written at this moment, without waiting for it.
    func giveUp(_ pipelines: Pipelines) async {
        say(await pipelines.flush(within: .zero), of: pipelines)
    }

    private func say(_ unwritten: [UnwrittenKeys], of pipelines: Pipelines) {
        let said = state.withLock { $0.said }
        for cache in unwritten where !said.contains(cache.source) {
            for key in cache.keys { Console.say(pipelines.redactor.redacted("not written to `\(cache.source)`: `\(key)`")) }
        }
    }

    /// The time that is left of the bound; it begins with the first call.
    private func remaining() -> Duration {
        let now = clock.now
        let end = state.withLock { state in
            let end = state.end ?? now + Self.bound + Self.grace
            state.end = end
            return end
        }
        return max(.zero, end.duration(since: now))
    }
}
