extension LeaseDesk {
    /// Renews the lease at each third of its time until it is given back: however long the load takes, nobody else takes it over.
    func keepRenewing(_ lease: Lease) {
        let alarm = clock.alarms.set(at: clock.now + duration / 3) { self.renew(lease) }
        if let needless = book.watch(lease, with: alarm) { clock.alarms.cancel(needless) }
    }

    /// Renews the lease no more. It ends by itself, unless it is given back before.
    func stopRenewing(_ lease: Lease) {
        if let alarm = book.unwatch(lease) { clock.alarms.cancel(alarm) }
    }

    private func renew(_ lease: Lease) {
        guard let renewal = book.beginRenewal(of: lease) else { return }
        // Ends within the tier's time to answer; whoever gives the lease back waits for it.
        Task {
            let begin = clock.now
            let isHeld = try? await taken(lease)
            let goesOn = book.endRenewal(of: lease, isHeld: isHeld, until: begin + duration, at: clock.now)
            renewal.finish(.success(()))
            // What cannot be renewed now may be at the next third.
            if goesOn { keepRenewing(lease) }
        }
    }
}
