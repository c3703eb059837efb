internal import Dispatch
internal import Pipeline
private import Synchronization

/// Writes lines on a thread of its own, so that no caller waits for a reader that takes nothing.
///
/// The lines that wait are bounded. Those over the bound are dropped and counted; behind the lines that wait, one says how many they were.
final class LineQueue: Sendable {
    private struct State {
        var waiting: [String] = []
        var bytes = 0
        /// The number of lines dropped since the lines that wait.
        var dropped = 0
        var isWriting = false
        /// The callers that wait until all is written.
        var waiters: [Race<Void>] = []
    }

    private let limit: Int
    private let write: @Sendable (String) -> Void
    private let dropped: @Sendable (Int) -> String
    private let queue = DispatchQueue(label: "pipe-run.lines")
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: the most bytes that wait, besides those that are being written.
    ///   - dropped: the line that says how many are missing.
    ///   - write: writes what it gets, for as long as that takes.
    init(limit: Int = 1 << 20, dropped: @escaping @Sendable (Int) -> String, write: @escaping @Sendable (String) -> Void) {
        (self.limit, self.dropped, self.write) = (limit, dropped, write)
    }

    /// Has `line` written, or drops it.
    func add(_ line: String) {
        let isIdle = state.withLock { state in
            let count = line.utf8.count
            if state.dropped == 0, state.bytes + count <= limit {
                state.waiting.append(line)
                state.bytes += count
            } else {
                state.dropped += 1
            }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isIdle { queue.async { self.writeWaiting() } }
    }

    /// Returns when all lines are written, or after `limit`: whether they are.
    func finish(within limit: Duration, clock: PipelineClock = .system) async -> Bool {
        let written = Race<Void>()
        let isIdle = state.withLock { state in
            if state.isWriting { state.waiters.append(written) }
            return !state.isWriting
        }
        guard !isIdle else { return true }
        let isInTime = try? await clock.race(until: clock.now + limit, late: { false }) {
            try await written.value()
            return true
        }
        return isInTime ?? false
    }

    private func writeWaiting() {
        while let text = next() { write(text) }
    }

    /// The next text to write; nil if there is none, and the waiters are told.
    private func next() -> String? {
        let (lines, count, waiters) = state.withLock { state in
            defer { (state.waiting, state.bytes, state.dropped) = ([], 0, 0) }
            guard state.waiting.isEmpty, state.dropped == 0 else { return (state.waiting, state.dropped, [Race<Void>]()) }
            defer { (state.isWriting, state.waiters) = (false, []) }
            return ([], 0, state.waiters)
        }
        for waiter in waiters { waiter.finish(.success(())) }
        guard !lines.isEmpty || count > 0 else { return nil }
        return lines.joined() + (count > 0 ? dropped(count) : "")
    }
}
