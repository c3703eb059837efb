import Synchronization

/// The priority of a load while it runs: the greatest of its waiters', anew each time one joins, changes its mind or leaves.
public final class LoadPriority: Sendable {
    private struct State {
        var current: Priority
        /// What the observers know.
        var told: Priority
        var isTelling = false
        var nextNumber: UInt64 = 0
        var observers: [UInt64: @Sendable (Priority) -> Void] = [:]

        mutating func news() -> (Priority, [@Sendable (Priority) -> Void])? {
            isTelling = current != told
            guard isTelling else { return nil }
            told = current
            return (current, Array(observers.values))
        }
    }

    private let state: Mutex<State>

    /// A load of this priority.
    package init(_ priority: Priority = .normal) { state = Mutex(State(current: priority, told: priority)) }

    /// The present priority.
    package var current: Priority { state.withLock { $0.current } }

    /// Sets the priority and tells the observers of a change: on the calling thread, or on the one that tells them of another change at the
    /// moment.
    package func set(_ priority: Priority) {
        if change(to: priority) { tell() }
    }

    /// Sets the priority. True when it is another one: the caller tells the observers then, as soon as it holds no lock.
    func change(to priority: Priority) -> Bool {
        state.withLock { state in
            defer { state.current = priority }
            return state.current != priority
        }
    }

    /// Tells the observers of changes, in order, until they know the last one.
    func tell() {
        guard var news = state.withLock({ $0.isTelling ? nil : $0.news() }) else { return }
        while true {
            for observer in news.1 { observer(news.0) }
            guard let next = state.withLock({ $0.news() }) else { return }
            news = next
        }
    }

    /// Calls `body` at each change from now on, until ``stopObserving(_:)`` with the number that this returns. A change that happens meanwhile
    /// may be told after it.
    package func observe(_ body: @escaping @Sendable (Priority) -> Void) -> UInt64 {
        state.withLock { state in
            state.nextNumber += 1
            state.observers[state.nextNumber] = body
            return state.nextNumber
        }
    }

    /// Ends the observation of this number.
    package func stopObserving(_ number: UInt64) { state.withLock { $0.observers[number] = nil } }
}
