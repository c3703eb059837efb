import Pipeline
import Synchronization

/// An origin that answers when as many fetches have begun as are to wait for it, and counts how often it was asked.
final class GatedOrigin: Source {
    private struct State {
        var calls = 0
        var awaited: Int
        var isOpen: Bool { awaited <= 0 }
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(awaiting fetches: Int) {
        state = Mutex(State(awaited: fetches))
    }

    var calls: Int { state.withLock(\.calls) }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
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

    /// Says that one more fetch begins; the last one lets the reads answer.
    func noteFetch() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.awaited -= 1
            guard state.isOpen else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
