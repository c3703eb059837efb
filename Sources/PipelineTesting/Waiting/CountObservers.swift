/// The tests that wait until a count has reached a number. A value inside the mutex that guards the count.
struct CountObservers {
    private var waiting: [(count: Int, waiter: WaitingTask)] = []

    /// Waits for `count`; the waiter is admitted at once when `present` has reached it.
    mutating func add(_ waiter: WaitingTask, waitingFor count: Int, present: Int) {
        if present >= count {
            waiter.admit()
        } else {
            waiting.append((count, waiter))
        }
    }

    /// Removes and returns the waiters that wait for `count` or less.
    mutating func reached(_ count: Int) -> [WaitingTask] {
        guard waiting.contains(where: { $0.count <= count }) else { return [] }
        let admitted = waiting.filter { $0.count <= count }.map(\.waiter)
        waiting.removeAll { $0.count <= count }
        return admitted
    }

    /// Removes a waiter that no longer waits.
    mutating func remove(_ waiter: WaitingTask) {
        waiting.removeAll { $0.waiter === waiter }
    }
}
