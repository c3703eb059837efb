/// Calls when a moment of a ``PipelineClock`` has come. Where many wait, each for a short time, this is cheaper than a task that sleeps
/// for each.
package protocol Alarms: AnyObject, Sendable {
    /// Has `ring` called once when `moment` has come; soon, where it has come already, and never before this returns.
    ///
    /// - Parameter ring: holds up other alarms while it runs: it decides, resumes, and waits for nothing.
    func set(at moment: Timestamp, _ ring: @escaping @Sendable () -> Void) -> Alarm

    /// Lets go of an alarm. One that rings at this moment may go on ringing; one that has rung is let go of already.
    func cancel(_ alarm: Alarm)
}

/// An alarm that was set, for who wants to cancel it.
package struct Alarm: Hashable, Sendable {
    package let number: UInt64

    /// - Parameter number: unlike that of any other alarm of the same clock.
    package init(number: UInt64) {
        self.number = number
    }
}
