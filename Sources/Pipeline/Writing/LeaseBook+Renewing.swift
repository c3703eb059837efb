extension LeaseBook {
    /// Keeps `alarm` for the next renewal of `lease`. Returns the alarm that is not needed: the previous one, or this one when the lease is
    /// being released.
    func watch(_ lease: Lease, with alarm: Alarm) -> Alarm? {
        change(lease) { line in
            defer { line.alarm = alarm }
            return line.alarm
        } ?? alarm
    }

    /// Ends the renewals of `lease`; returns the alarm that would have rung.
    func unwatch(_ lease: Lease) -> Alarm? {
        change(lease) { line in
            line.isRenewed = false
            defer { line.alarm = nil }
            return line.alarm
        } ?? nil
    }

    /// Begins a renewal. Returns what ends with it; nil when the lease must not be renewed any more.
    func beginRenewal(of lease: Lease) -> Race<Void>? {
        change(lease) { line in
            line.alarm = nil
            guard line.isRenewed else { return nil }
            let renewal = Race<Void>()
            line.renewal = renewal
            return renewal
        } ?? nil
    }

    /// Notes the result of a renewal; returns whether another one follows.
    ///
    /// - Parameters:
    ///   - isHeld: false when another process has the lease; nil when it is not known.
    ///   - end: when the renewed lease ends. One that had ended before may have been another's meanwhile, and counts as lost from then on.
    func endRenewal(of lease: Lease, isHeld: Bool?, until end: Timestamp, at now: Timestamp) -> Bool {
        change(lease) { line in
            line.renewal = nil
            if isHeld == false {
                line.end = .distantPast
                line.isRenewed = false
            } else if isHeld == true, now < line.end {
                line.end = end
            }
            return line.isRenewed
        } ?? false
    }

    /// Whether another process may have had the lease since it was taken.
    func hasRunOut(_ lease: Lease, at now: Timestamp) -> Bool {
        change(lease) { $0.end <= now } ?? true
    }
}
