extension LeaseBook {
    /// Has the next renewal of `lease` begin at `moment`, unless the lease is being released.
    func renew(_ lease: Lease, at moment: Timestamp, on clock: PipelineClock, _ renew: @escaping @Sendable (Timestamp) -> Void) {
        change(lease) { if $0.isRenewed { $0.alarm.set(at: moment, on: clock, renew) } }
    }

    /// Ends the renewals of `lease`.
    func stopRenewing(_ lease: Lease, on clock: PipelineClock) {
        change(lease) { line in
            line.isRenewed = false
            line.alarm.cancel(on: clock)
        }
    }

    /// Begins a renewal. Returns what ends with it; nil when the lease must not be renewed any more.
    func beginRenewal(of lease: Lease, rung moment: Timestamp) -> Race<Void>? {
        change(lease) { line in
            line.alarm.end(moment)
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
