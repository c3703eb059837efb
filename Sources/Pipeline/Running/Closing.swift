import Synchronization

/// Whether the pipelines of one configuration were shut down, and the loads that end then.
final class Closing: Sendable {
    private struct State {
        var endings: [UInt64: @Sendable () -> Void] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())
    /// Changed under the lock, so that no ending is added unnoticed; not in it, because every fetch asks.
    private let isOver = Atomic(false)

    /// Throws ``ShutDownError`` once it is over.
    func check() throws(ShutDownError) {
        if isOver.load(ordering: .acquiring) { throw ShutDownError() }
    }

    /// Has `ending` called when it is over, at once when it is already; gives what ``forget(_:)`` takes.
    func add(_ ending: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, isLate) = state.withLock { state in
            state.last += 1
            let isLate = isOver.load(ordering: .relaxed)
            if !isLate { state.endings[state.last] = ending }
            return (state.last, isLate)
        }
        if isLate { ending() }
        return id
    }

    /// What was to be ended has gone by itself.
    func forget(_ id: UInt64) {
        state.withLock { $0.endings[id] = nil }
    }

    /// It is over: nothing new begins, and what was added is ended.
    func close() {
        let endings = state.withLock { state in
            isOver.store(true, ordering: .releasing)
            defer { state.endings = [:] }
            return state.endings.sorted { $0.key < $1.key }
        }
        for (_, ending) in endings { ending() }
    }
}
