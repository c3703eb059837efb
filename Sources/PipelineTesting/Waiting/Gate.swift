import Synchronization

/// A latch: tasks wait at it until the test opens it, and then it stays open.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [ObjectIdentifier: WaitingTask] = [:]
        var order: [WaitingTask] = []
        var observers = CountObservers()
    }

    private let state = Mutex(State())

    /// A closed gate.
    public init() {}

    /// Indicates whether it was opened.
    public var isOpen: Bool { state.withLock(\.isOpen) }

    /// The number of tasks that wait now; 0 from ``open()`` on, also before those tasks have run.
    public var waiterCount: Int { state.withLock(\.waiters.count) }

    /// Lets all waiting tasks go on, in the order they came, and every later one. Opening twice is opening once.
    public func open() {
        let admitted = state.withLock { state -> [WaitingTask] in
            state.isOpen = true
            let admitted = state.order.filter { state.waiters[ObjectIdentifier($0)] != nil }
            state.waiters = [:]
            state.order = []
            return admitted
        }
        admitted.admit()
    }

    /// Waits until the gate is open; throws `CancellationError` when the task is cancelled, also where the gate is open already.
    public func wait() async throws {
        try Task.checkCancellation()
        let waiter = WaitingTask()
        let admitted = state.withLock { state -> [WaitingTask] in
            guard !state.isOpen else { return [waiter] }
            state.waiters[ObjectIdentifier(waiter)] = waiter
            state.order.append(waiter)
            return state.observers.reached(state.waiters.count)
        }
        admitted.admit()
        try await waiter.wait {
            state.withLock { _ = $0.waiters.removeValue(forKey: ObjectIdentifier(waiter)) }
        }
    }

    /// Returns when at least `count` tasks wait at the same time, or when the calling task is cancelled.
    public func waiters(atLeast count: Int) async {
        let waiter = WaitingTask()
        state.withLock { $0.observers.add(waiter, waitingFor: count, present: $0.waiters.count) }
        try? await waiter.wait {
            state.withLock { $0.observers.remove(waiter) }
        }
    }
}
