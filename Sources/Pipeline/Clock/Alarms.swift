/// Calls back when a moment of a ``PipelineClock`` has come. For many short waits this is cheaper than a sleeping task for each.
package protocol Alarms: AnyObject, Sendable {
    /// Calls `ring` once when `moment` has come; soon, if it has come already, and never before this method returns.
    ///
    /// - Parameter ring: must not wait: it delays other alarms while it runs.
    func set(at moment: Timestamp, _ ring: @escaping @Sendable () -> Void) -> Alarm

    /// Cancels an alarm. One that is ringing now may go on; one that has rung is gone already.
    func cancel(_ alarm: Alarm)
}

/// An alarm that was set; needed to cancel it.
package struct Alarm: Hashable, Sendable {
    package let number: UInt64

    /// - Parameter number: differs from that of every other alarm of the same clock.
    package init(number: UInt64) {
        self.number = number
    }
}
