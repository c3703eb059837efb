/// The one alarm of a state that a lock or an event loop guards. It is set and cancelled there.
///
/// What rings may run late, when another alarm has taken the place of its own: it looks at the state anew. It is released where it is
/// replaced or cancelled, and so must not hold the last reference to what takes that lock when it ends.
package struct AlarmSlot: Sendable {
    private var alarm: Alarm?
    /// When it rings; nil if it is not set.
    package private(set) var moment: Timestamp?

    package init() {}

    /// Sets the alarm for `moment` in place of one that rings at another; nil cancels it. Does nothing if it is set for that moment, also if it
    /// has rung and that was not noted.
    ///
    /// - Parameter ring: gets the moment, for ``end(_:)``.
    package mutating func set(at moment: Timestamp?, on clock: PipelineClock, _ ring: @escaping @Sendable (Timestamp) -> Void) {
        guard moment != self.moment else { return }
        cancel(on: clock)
        self.moment = moment
        alarm = moment.map { moment in clock.alarms.set(at: moment) { ring(moment) } }
    }

    /// Sets the alarm for `moment`, unless one is set that rings no later.
    package mutating func set(by moment: Timestamp, on clock: PipelineClock, _ ring: @escaping @Sendable (Timestamp) -> Void) {
        if let known = self.moment, known <= moment { return }
        set(at: moment, on: clock, ring)
    }

    package mutating func cancel(on clock: PipelineClock) {
        if let alarm { clock.alarms.cancel(alarm) }
        (alarm, moment) = (nil, nil)
    }

    /// Notes that the alarm for `moment` has rung, unless another has taken its place.
    package mutating func end(_ moment: Timestamp) {
        if self.moment == moment { (alarm, self.moment) = (nil, nil) }
    }
}
