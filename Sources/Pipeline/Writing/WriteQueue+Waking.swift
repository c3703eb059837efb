import Synchronization

extension WriteQueue {
    /// Wakes the lane of `key` when the moment has come. One alarm serves all keys.
    func wake(_ key: Key, at due: Timestamp) {
        state.withLock { state in
            state.dues.insert(key, at: due)
            guard state.dues.count > 2 * state.lanes.count + 64 else { return }
            state.dues.keep { [lanes = state.lanes] in lanes[$0]?.wakes(at: $1) ?? false }
        }
        setAlarm()
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

    /// Sets the alarm for the first key, unless it is set.
    private func setAlarm() {
        let moment = state.withLock { state -> Timestamp? in
            guard let next = state.dues.next, state.alarmMoment.map({ next < $0 }) ?? true else { return nil }
            state.alarmMoment = next
            return next
        }
        guard let moment else { return }
        let alarm = clock.alarms.set(at: moment) {
            // Ends when the lanes that are due have been woken.
            Task { self.wakeUp(at: moment) }
        }
        let needless = state.withLock { state -> Alarm? in
            // An earlier alarm may have been set meanwhile, or this one may have rung.
            guard state.alarmMoment == moment else { return alarm }
            defer { state.alarm = alarm }
            return state.alarm
        }
        if let needless { clock.alarms.cancel(needless) }
    }

    private func wakeUp(at moment: Timestamp) {
        let now = clock.now
        let due = state.withLock { state -> [Key] in
            if state.alarmMoment == moment { (state.alarm, state.alarmMoment) = (nil, nil) }
            var due: [Key] = []
            while let next = state.dues.next, next <= now, let key = state.dues.popFirst() { due.append(key) }
            return due
        }
        change(due) { [clock] in $0.wake(at: clock.now) }
        setAlarm()
    }
}

/// Keys in the order of the moments at which something is due for them: a binary heap. Outdated moments may still be in it.
struct DueKeys {
    private var heap: [(moment: Timestamp, key: Key)] = []

    var count: Int { heap.count }
    /// The moment of the first one.
    var next: Timestamp? { heap.first?.moment }

    mutating func insert(_ key: Key, at moment: Timestamp) {
        heap.append((moment, key))
        var index = heap.count - 1
        while index > 0, heap[index].moment < heap[(index - 1) / 2].moment {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Takes out the first one.
    mutating func popFirst() -> Key? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first.key }
        heap[0] = last
        sink(from: 0)
        return first.key
    }

    /// Removes every key that does not satisfy `isKept`, and gives back the memory that it needed.
    mutating func keep(where isKept: (Key, Timestamp) -> Bool) {
        // What is sorted is a heap.
        heap = heap.filter { isKept($0.key, $0.moment) }.sorted { $0.moment < $1.moment }
    }

    private mutating func sink(from index: Int) {
        var index = index
        while true {
            let left = 2 * index + 1
            guard left < heap.count else { return }
            let least = left + 1 < heap.count && heap[left + 1].moment < heap[left].moment ? left + 1 : left
            guard heap[least].moment < heap[index].moment else { return }
            heap.swapAt(index, least)
            index = least
        }
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
