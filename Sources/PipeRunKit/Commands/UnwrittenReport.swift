internal import Pipeline
private import Synchronization

/// Writes what waits before the process ends, within one bound, and names what could not be written unless that was said before.
final class UnwrittenReport: Sendable {
    private struct State {
        var said: Set<String> = []
        var end: Timestamp?
        var hasWaitedInVain = false
    }

    private let clock = PipelineClock.system
    private let bound = Duration.seconds(5)
    private let state = Mutex(State())

    /// These writes have been printed with what came of them.
    func note(_ records: [WriteRecord]) {
        state.withLock { $0.said.formUnion(records.filter { $0.outcome == .failed }.map(\.source)) }
    }

    /// Waits for the writes of `outcome` that nothing delays, no longer than the bound; a cache that hangs is waited for once. Throws
    /// when the task is cancelled.
    func settle(_ outcome: Outcome) async throws {
        if state.withLock(\.hasWaitedInVain) { return }
        let isSettled = try await withThrowingTaskGroup(of: Bool.self) { [clock, bound] group in
            group.addTask {
                try await outcome.settleWrites()
                return true
            }
            group.addTask {
                try await clock.sleep(for: bound)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? true
        }
        if !isSettled { state.withLock { $0.hasWaitedInVain = true } }
    }

    /// Writes what waits and lets end what is being written, so that what is printed afterwards is final. Throws when the task is
    /// cancelled.
    func flush(_ pipelines: Pipelines) async throws {
        await pipelines.flush(within: remaining())
        try Task.checkCancellation()
    }

    /// Ends `pipelines`, and says what is not written.
    func shutDown(_ pipelines: Pipelines) async {
        let unwritten = await pipelines.shutDown(within: remaining())
        let said = state.withLock { $0.said }
        for (source, keys) in unwritten where !said.contains(source) {
            for key in keys { Console.say(pipelines.redactor.redacted("not written to `\(source)`: `\(key)`")) }
        }
    }

    /// What is left of the bound; it begins when this is asked first.
    private func remaining() -> Duration {
        let now = clock.now
        let end = state.withLock { [bound] state in
            let end = state.end ?? now + bound
            state.end = end
            return end
        }
        return max(.zero, end.duration(since: now))
    }
}
