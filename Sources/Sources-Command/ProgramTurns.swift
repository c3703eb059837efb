internal import Pipeline
private import Synchronization

/// Turns for the programs of one source: only so many run at a time, and the next one waits, first come, first served.
final class ProgramTurns: Sendable {
    private struct State {
        var free: Int
        /// The numbers of those that came first and last; some between them may have left.
        var first: UInt64 = 0
        var last: UInt64 = 0
        var waiting: [UInt64: AsyncStream<Never>.Continuation] = [:]

        /// Takes the next that waits out of the line.
        mutating func next() -> AsyncStream<Never>.Continuation? {
            while first < last {
                first += 1
                if let continuation = waiting.removeValue(forKey: first) { return continuation }
            }
            return nil
        }
    }

    let limit: Int
    private let state: Mutex<State>

    /// - Parameter limit: how many programs run at a time; at least one.
    init(limit: Int) {
        self.limit = limit
        state = Mutex(State(free: limit))
    }

    /// Calls `run` when there is a turn for it, and returns its value. Throws `CancellationError` when this is cancelled before.
    func taking<Value: Sendable>(_ run: () async throws -> Value) async throws -> Value {
        try await wait()
        defer { giveBack() }
        return try await run()
    }

    private func wait() async throws {
        try Task.checkCancellation()
        let (turn, continuation) = AsyncStream<Never>.makeStream()
        let number: UInt64? = state.withLock { state in
            guard state.free == 0 else {
                state.free -= 1
                return nil
            }
            state.last += 1
            state.waiting[state.last] = continuation
            return state.last
        }
        guard let number else { return }
        // Ends when the turn comes, or the task is cancelled.
        for await _ in turn {}
        let hasLeft = state.withLock { $0.waiting.removeValue(forKey: number) != nil }
        if hasLeft { throw CancellationError() }
        guard Task.isCancelled else { return }
        giveBack()
        throw CancellationError()
    }

    private func giveBack() {
        let next = state.withLock { state in
            let next = state.next()
            if next == nil { state.free += 1 }
            return next
        }
        next?.finish()
    }
}
