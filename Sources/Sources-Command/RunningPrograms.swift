internal import Pipeline
private import Synchronization

/// The runs of one source that are not over, so that closing it can end them and wait for that: a process that went before its
/// programs are gone would leave behind those that take their time.
final class RunningPrograms: Sendable {
    private struct State {
        var isClosed = false
        /// The continuations that end each run, by its number.
        var runs: [UInt64: AsyncStream<Never>.Continuation] = [:]
        var last: UInt64 = 0
        /// The callers that wait for the last run to be over.
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Returns the value of `run`; when this is closed meanwhile, `run` is cancelled.
    func counting<Value: Sendable>(_ run: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let (closing, continuation) = AsyncStream<Never>.makeStream()
        let number = try begin(continuation)
        defer { end(number) }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await run() }
            group.addTask {
                // Ends when this is closed or the task is cancelled.
                for await _ in closing {}
                try Task.checkCancellation()
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else { throw Self.closed }
            return value
        }
    }

    /// Ends all runs and begins no other; returns when they are over, at the latest when `limit` is.
    func close(within limit: Duration, clock: PipelineClock) async {
        let (allOver, continuation) = AsyncStream<Never>.makeStream()
        let runs = state.withLock { state in
            state.isClosed = true
            if state.runs.isEmpty { continuation.finish() } else { state.waiting.append(continuation) }
            return Array(state.runs.values)
        }
        for run in runs { run.finish() }
        try? await clock.race(until: clock.now + limit, late: {}) { for await _ in allOver {} }
    }

    private static let closed = SourceError("the source is closed")

    private func begin(_ continuation: AsyncStream<Never>.Continuation) throws -> UInt64 {
        try state.withLock { state in
            guard !state.isClosed else { throw Self.closed }
            state.last += 1
            state.runs[state.last] = continuation
            return state.last
        }
    }

    private func end(_ number: UInt64) {
        let waiting = state.withLock { state in
            state.runs[number] = nil
            guard state.runs.isEmpty else { return [AsyncStream<Never>.Continuation]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.finish() }
    }
}
