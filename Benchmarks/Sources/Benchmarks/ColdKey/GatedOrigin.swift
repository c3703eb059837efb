import Pipeline
import Synchronization

/// An origin that answers when it is told to, and counts how often it was asked.
final class GatedOrigin: Source {
    private struct State {
        var calls = 0
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var calls: Int { state.withLock(\.calls) }

    func read(_ key: Key) async throws -> Entry? {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.calls += 1
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
        return Entry(Array("[1]".utf8), created: PipelineClock.system.now)
    }

    /// Lets the reads that wait answer, and those to come.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
