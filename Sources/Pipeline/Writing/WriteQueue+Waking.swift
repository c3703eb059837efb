import Synchronization

extension WriteQueue {
    /// Wakes the lane of `key` when the moment has come. One alarm serves all keys.
    func wake(_ key: Key, at due: Timestamp) {
        state.withLock { state in
            state.dues.insert(key, at: due)
            if state.dues.count > 2 * state.lanes.count + 64 {
                state.dues.keep { [lanes = state.lanes] in lanes[$0]?.wakes(at: $1) ?? false }
            }
            setAlarm(in: &state)
        }
    }

    /// Writes the values that are due first, until those that are not written yet are within the bound.
    func hurryOverBound() {
        let hurried = state.withLock { state in
            var hurried: [(key: Key, actions: [WriteLane.Action])] = []
            var excess = state.waitingBytes + state.runningBytes - bound
            while excess > 0, state.waitingBytes > 0, let key = state.dues.popFirst() {
                let waiting = state.waitingBytes
                hurried.append((key, Self.change(key, in: &state) { [clock] in $0.hurry(at: clock.now, isAwake: true) }))
                excess -= waiting - state.waitingBytes
            }
            return hurried
        }
        if !hurried.isEmpty { perform(hurried) }
    }

    /// Has the lanes that are due woken when the first of them is.
    private func setAlarm(in state: inout State) {
        guard let next = state.dues.next else { return }
        state.alarm.set(by: next, on: clock) { moment in
            // Ends when the lanes that are due have been woken.
            Task { self.wakeUp(at: moment) }
        }
    }

    private func wakeUp(at moment: Timestamp) {
        let now = clock.now
        let due = state.withLock { state -> [Key] in
            state.alarm.end(moment)
            var due: [Key] = []
            while let key = state.dues.popFirst(dueAt: now) { due.append(key) }
            setAlarm(in: &state)
            return due
        }
        change(due) { [clock] in $0.wake(at: clock.now) }
    }
}

/// The keys whose operation may begin, in that order.
struct ReadyKeys {
    private var keys: [Key] = []
    private var first = 0

    var isEmpty: Bool { first == keys.count }
    var next: Key? { isEmpty ? nil : keys[first] }

    mutating func append(_ key: Key) {
        keys.append(key)
    }

    mutating func removeFirst() {
        first += 1
        guard first == keys.count || first > 1024 && first > keys.count / 2 else { return }
        keys.removeFirst(first)
        first = 0
        // After a peak: an array keeps its capacity.
        if keys.isEmpty, keys.capacity > 1024 { keys = [] }
    }

    mutating func removeAll() -> [Key] {
        defer { self = ReadyKeys() }
        return Array(keys[first...])
    }
}
