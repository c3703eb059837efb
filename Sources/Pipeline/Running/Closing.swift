import Synchronization

/// Whether the pipelines of one configuration were shut down, and whose loads end when they are.
final class Closing: Sendable {
    private struct State {
        var isOver = false
        var endings: [UInt64: @Sendable () -> Void] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())
    /// The same as the state says, for those who ask at every fetch.
    private let isClosed = Atomic(false)

    /// Throws ``ShutDownError`` once it is over.
    func check() throws(ShutDownError) {
        if isClosed.load(ordering: .acquiring) { throw ShutDownError() }
    }

    /// Has `ending` called when it is over, at once when it is already; gives what ``forget(_:)`` takes.
    func add(_ ending: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, isOver) = state.withLock { state in
            state.last += 1
            if !state.isOver { state.endings[state.last] = ending }
            return (state.last, state.isOver)
        }
        if isOver { ending() }
        return id
    }

    /// What was to be ended has gone by itself.
    func forget(_ id: UInt64) {
        state.withLock { $0.endings[id] = nil }
    }

    /// It is over: nothing new begins, and what was added is ended.
    func close() {
        isClosed.store(true, ordering: .releasing)
        let endings = state.withLock { state in
            state.isOver = true
            defer { state.endings = [:] }
            return Array(state.endings.values)
        }
        for ending in endings { ending() }
    }
}
