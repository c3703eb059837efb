/// The one alarm of a state that stands under a lock.
///
/// It is set and cancelled under that lock, too: no alarm rings before `set` has returned. One that rings may have been replaced meanwhile, so
/// what it calls looks at the state anew; and as it may be let go of under the lock, it holds its owner weakly, or what owns that does not end.
package struct AlarmSlot: Sendable {
    private var alarm: Alarm?
    /// When it rings; nil if it is not set.
    package private(set) var moment: Timestamp?

    package init() {}

    /// Sets the alarm for `moment` in place of one that rings at another; nil cancels it.
    package mutating func set(at moment: Timestamp?, on clock: PipelineClock, _ ring: @escaping @Sendable () -> Void) {
        guard moment != self.moment else { return }
        cancel(on: clock)
        self.moment = moment
        alarm = moment.map { clock.alarms.set(at: $0, ring) }
    }

    /// Sets the alarm for `moment`, unless it rings earlier.
    package mutating func set(by moment: Timestamp, on clock: PipelineClock, _ ring: @escaping @Sendable () -> Void) {
        if let known = self.moment, known <= moment { return }
        set(at: moment, on: clock, ring)
    }

    package mutating func cancel(on clock: PipelineClock) {
        if let alarm { clock.alarms.cancel(alarm) }
        (alarm, moment) = (nil, nil)
    }

    /// Notes that it has rung.
    package mutating func end() { (alarm, moment) = (nil, nil) }
}
