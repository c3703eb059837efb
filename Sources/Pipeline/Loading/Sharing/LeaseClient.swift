/// Takes, renews and releases the leases of a source, each within the tier's time to answer.
final class LeaseClient: Sendable {
    /// The answer to a request for a lease.
    enum Answer: Sendable {
        case taken(Lease)
        /// Another process has it. Names the last holder whose load was fruitless.
        case refused(lastFruitless: String?)
    }

    /// How long a lease lasts that is not renewed.
    let duration: Duration
    /// How long a fruitless load is remembered at least: longer than a waiting process takes between two attempts.
    private static let shortestMemory = Duration.seconds(10)
    private let tier: Tier
    private let source: any SharedSource
    private let queue: WriteQueue

    var book: LeaseBook { queue.leases }
    var clock: PipelineClock { tier.clock }

    /// Nil when the source of `tier` holds no leases.
    init?(_ tier: Tier, queue: WriteQueue) {
        guard let source = tier.shared, let flight = tier.sharedFlight else { return nil }
        self.tier = tier
        self.source = source
        self.queue = queue
        duration = flight.lease
    }

    /// Asks for the lease of `key`, and renews it until it is released. One that comes too late, or for a task that was cancelled, is released.
    ///
    /// - Parameter permit: the permit to write what will be loaded. A lease of this process whose permit is outdated, since the key was
    ///   removed, is released first.
    func take(_ key: Key, for permit: Generations.WritePermit?) async throws -> Answer {
        if let outdated = book.outdatedLease(of: key) { await release(outdated) }
        let lease = Lease(key: key, holder: UniqueName.next(), end: tier.clock.now + duration)
        try book.begin()
        var late: Task<Void, Never>?
        do {
            let refusal = try await tier.limiting(leaving: {
                $0.cancel()
                late = $0
            }) { [source, duration] () -> Answer? in
                if try await source.takeLease(of: key, for: lease.holder, lasting: duration) { return nil }
                return .refused(lastFruitless: try await source.lastFruitlessHolder(of: key))
            }
            if let refusal {
                book.end()
                return refusal
            }
        } catch {
            giveBack(lease, thatMayComeOf: late)
            throw error
        }
        book.enter(LeaseBook.Line(lease: lease, permit: permit, giveBack: { [self] in giveBack(lease) }))
        keepRenewing(lease)
        return .taken(lease)
    }

    /// Releases the lease when the last scheduled write of its key has ended; at once when there is none.
    ///
    /// - Parameters:
    ///   - load: a load that goes on, and must end before.
    ///   - isWanted: which copies the waiting processes wait for. When the cache has none then, the lease was fruitless. Nil for a load that
    ///     was cancelled: another process takes it over.
    func giveBack(_ lease: Lease, after load: Task<Void, Never>? = nil, wanting isWanted: (@Sendable (Entry) -> Bool)? = nil) {
        guard let load else {
            if let isWanted { book.noteLoaded(lease, isWanted) }
            // Another process can load it sooner than a debounced write comes.
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

    /// Releases a lease that its caller no longer waits for, once `taking`, which may still get it, has ended.
    private func giveBack(_ lease: Lease, thatMayComeOf taking: Task<Void, Never>?) {
        // Ends with the request; cancelled when the pipelines end before.
        queue.following.adopt(
            Task {
                await taking?.value
                try? await self.tier.limiting { [source] in
                    try await source.releaseLease(of: lease.key, by: lease.holder, fruitlessFor: nil)
                }
                self.book.end()
            })
    }

    /// A lease that cannot be released ends by itself.
    private func release(_ lease: Lease) async {
        book.stopRenewing(lease, on: clock)
        guard let line = book.strike(lease) else { return }
        // A renewal under way would take the lease again after its release.
        try? await line.renewal?.value()
        let isFruitless = await isFruitless(line)
        try? await tier.limiting { [source, duration] in
            let memory = isFruitless ? max(duration * 2, Self.shortestMemory) : nil
            try await source.releaseLease(of: lease.key, by: lease.holder, fruitlessFor: memory)
        }
        book.end()
    }

    /// Whether the load has ended and the cache has no copy that other processes wait for: there was no answer, or it is not kept, or could
    /// not be written. Only the cache knows what it kept. A key that was removed meanwhile is loaded anew by one of them.
    private func isFruitless(_ line: LeaseBook.Line) async -> Bool {
        guard let isWanted = line.isWanted, line.permit?.isCurrent ?? true else { return false }
        do {
            let entry = try await tier.limiting { [source] in try await source.read(line.lease.key) }
            return entry.map { !tier.isFresh($0) || !isWanted($0) } ?? true
        } catch {
            // The cache may have a copy: the other processes check that themselves.
            return false
        }
    }

    /// Renews the lease at each third of its time until it is released: however long the load takes, no other process takes it over.
    private func keepRenewing(_ lease: Lease) {
        book.renew(lease, at: clock.now + duration / 3, on: clock) { self.renew(lease, rung: $0) }
    }

    /// Stops renewing the lease. It ends by itself, unless it is released before.
    private func stopRenewing(_ lease: Lease) {
        book.stopRenewing(lease, on: clock)
    }

    private func renew(_ lease: Lease, rung moment: Timestamp) {
        guard let renewal = book.beginRenewal(of: lease, rung: moment) else { return }
        // Ends within the tier's time to answer; the release of the lease waits for it.
        Task {
            let begin = clock.now
            let isHeld = try? await tier.limiting { [source, duration] in
                try await source.takeLease(of: lease.key, for: lease.holder, lasting: duration)
            }
            let goesOn = book.endRenewal(of: lease, isHeld: isHeld, until: begin + duration, at: clock.now)
            renewal.finish(.success(()))
            // A renewal that fails now may succeed at the next third.
            if goesOn { keepRenewing(lease) }
        }
    }
}
