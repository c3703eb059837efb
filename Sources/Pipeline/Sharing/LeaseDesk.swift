/// Takes leases from a source and gives them back, each within the tier's time to answer.
final class LeaseDesk: Sendable {
    /// What came of asking for a lease.
    enum Answer: Sendable {
        case taken(Lease)
        /// Somebody else has it. Names the holder who gave it back in vain last.
        case refused(lastVain: String?)
    }

    /// How long a lease lasts that is not renewed.
    let duration: Duration
    /// For so long at least it is told that a load was in vain: longer than those who wait take between two looks.
    private static let told = Duration.seconds(10)
    private let tier: Tier
    private let source: any LeasingSource
    private let queue: WriteQueue

    var book: LeaseBook { queue.leases }
    var clock: PipelineClock { tier.clock }

    /// Nil when the source of `tier` holds no leases.
    init?(_ tier: Tier, queue: WriteQueue) {
        guard let source = tier.source.asLeasing, let flight = tier.sharedFlight else { return nil }
        self.tier = tier
        self.source = source
        self.queue = queue
        duration = flight.lease
    }

    /// Asks for the lease of `key`, and renews it until it is given back. One that comes too late, or for a task that was cancelled, is given back.
    ///
    /// - Parameter ticket: the right to write what is to be loaded. A lease of this process whose load may not write any more, since the
    ///   key was removed, stands in nobody's way.
    func take(_ key: Key, for ticket: Generations.Ticket?) async throws -> Answer {
        if let outdated = book.outdatedLease(of: key) { await release(outdated) }
        let lease = Lease(key: key, holder: UniqueName.next(), end: tier.clock.now + duration)
        try book.begin()
        let refusal = try await tier.limiting { [source, duration] () -> Answer? in
            if try await source.takeLease(of: key, for: lease.holder, lasting: duration) { return nil }
            return .refused(lastVain: try await source.lastVainHolder(of: key))
        } abandoned: {
            giveBack(lease, thatMayComeOf: $0)
        }
        if let refusal {
            book.end()
            return refusal
        }
        book.enter(LeaseBook.Line(lease: lease, ticket: ticket, giveBack: { [self] in giveBack(lease) }))
        keepRenewing(lease)
        return .taken(lease)
    }

    /// Whether the lease is this process's now; one that it has lasts anew.
    func taken(_ lease: Lease) async throws -> Bool {
        try await tier.limiting { [source, duration] in
            try await source.takeLease(of: lease.key, for: lease.holder, lasting: duration)
        }
    }

    /// Gives the lease back when the write of its key has ended that was scheduled last: at once when there is none.
    ///
    /// - Parameters:
    ///   - load: goes on, and is to end before.
    ///   - isWanted: what those who wait hope for. When the cache has no such copy then, they are told that they wait in vain. Nil for a
    ///     load that was cancelled, which one of them is to take over.
    func giveBack(_ lease: Lease, after load: Task<Void, Never>? = nil, wanting isWanted: (@Sendable (Entry) -> Bool)? = nil) {
        guard let load else {
            if let isWanted { book.noteLoaded(lease, isWanted) }
            // Whoever waits can load it sooner than a write comes that waits for quiet.
            if tier.policy.debounce != nil { stopRenewing(lease) }
            return queue.follow(lease.key) { await self.release(lease) }
        }
        // Ends with the load; cancelled when the pipelines end before.
        queue.following.adopt(
            Task {
                await load.value
                self.giveBack(lease, wanting: load.isCancelled ? nil : isWanted)
            })
    }

    /// Gives a lease back that nobody waits for any more, and that `taking` may still get.
    private func giveBack(_ lease: Lease, thatMayComeOf taking: Task<Void, Never>) {
        // Ends with the request; cancelled when the pipelines end before.
        queue.following.adopt(
            Task {
                await taking.value
                try? await self.tier.limiting { [source] in try await source.releaseLease(of: lease.key, by: lease.holder) }
                self.book.end()
            })
    }

    /// One that cannot be given back ends by itself.
    private func release(_ lease: Lease) async {
        guard let line = book.strike(lease) else { return }
        if let alarm = line.alarm { clock.alarms.cancel(alarm) }
        // It would take the lease again behind this.
        try? await line.renewal?.value()
        let isVain = await isVain(line)
        try? await tier.limiting { [source, duration] in
            if isVain {
                try await source.releaseVainLease(of: lease.key, by: lease.holder, toldFor: max(duration * 2, Self.told))
            } else {
                try await source.releaseLease(of: lease.key, by: lease.holder)
            }
        }
        book.end()
    }

    /// Whether the load has ended, and the cache has nothing that those who wait hope for: the answer was none or is not kept, or could
    /// not be written. Only the cache knows what it kept. What was removed meanwhile is not in vain: one of them loads it anew.
    private func isVain(_ line: LeaseBook.Line) async -> Bool {
        guard let isWanted = line.isWanted, line.ticket?.isCurrent ?? true else { return false }
        do {
            let entry = try await tier.limiting { [source] in try await source.read(line.lease.key) }
            return entry.map { !tier.isFresh($0) || !isWanted($0) } ?? true
        } catch {
            // It may have it: they look for themselves.
            return false
        }
    }
}
