extension LeaseBook {
    /// Has `alarm` ring for the next renewal of `lease`; gives the alarm that is not needed: the one before, or this one when the lease is
    /// on its way back.
    func watch(_ lease: Lease, with alarm: Alarm) -> Alarm? {
        change(lease) { line in
            defer { line.alarm = alarm }
            return line.alarm
        } ?? alarm
    }

    /// Ends the renewals of `lease`; gives the alarm that would have rung.
    func unwatch(_ lease: Lease) -> Alarm? {
        change(lease) { line in
            line.isRenewed = false
            defer { line.alarm = nil }
            return line.alarm
        } ?? nil
    }

    /// What ends with the renewal that begins now; nil when the lease is not to be renewed any more.
    func beginRenewal(of lease: Lease) -> Race<Void>? {
        change(lease) { line in
            line.alarm = nil
            guard line.isRenewed else { return nil }
            let renewal = Race<Void>()
            line.renewal = renewal
            return renewal
        } ?? nil
    }

    /// Notes what a renewal came to; returns whether another one follows.
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
