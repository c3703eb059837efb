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
