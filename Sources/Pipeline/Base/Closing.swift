import Synchronization

/// Whether the pipelines of one configuration were shut down, and the loads that end then.
package final class Closing: Sendable {
    private struct State {
        var endings: [UInt64: @Sendable () -> Void] = [:]
        var preparations: [@Sendable () async -> Void] = []
        var last: UInt64 = 0
    }

    private let state = Mutex(State())
    /// Changed under the lock, so that no ending is added unnoticed; not in it, because every fetch asks.
    private let isOver = Atomic(false)

    var isClosed: Bool { isOver.load(ordering: .acquiring) }

    /// Throws ``ShutDownError`` once it is over.
    func check() throws(ShutDownError) {
        if isOver.load(ordering: .acquiring) { throw ShutDownError() }
    }

    /// Calls `ending` when it is over, at once when it is over already; returns what ``forget(_:)`` takes.
    package func add(_ ending: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, isLate) = state.withLock { state in
            state.last += 1
            let isLate = isOver.load(ordering: .relaxed)
            if !isLate { state.endings[state.last] = ending }
            return (state.last, isLate)
        }
        if isLate { ending() }
        return id
    }

    /// Has `work` done within the time that a shutdown is given, before anything ends.
    package func prepare(by work: @escaping @Sendable () async -> Void) {
        state.withLock { $0.preparations.append(work) }
    }

    /// Does what must be done before everything ends.
    func beReady() async {
        let works = state.withLock { state in
            defer { state.preparations = [] }
            return state.preparations
        }
        await withTaskGroup { group in
            for work in works { group.addTask { await work() } }
        }
    }

    /// Removes an ending that is no longer needed.
    func forget(_ id: UInt64) {
        state.withLock { $0.endings[id] = nil }
    }

    /// Ends everything: nothing new begins, and every added ending is called.
    func close() {
        let endings = state.withLock { state in
            isOver.store(true, ordering: .releasing)
            defer { state.endings = [:] }
            return state.endings.sorted { $0.key < $1.key }
        }
        for (_, ending) in endings { ending() }
    }
}

/// The pipelines were shut down before or during the call, which was not carried out.
public struct ShutDownError: Error, Hashable, CustomStringConvertible {
    /// The error; it has no details.
    package init() {}

    /// The message: `the pipelines were shut down`.
    public var description: String { "the pipelines were shut down" }
}
