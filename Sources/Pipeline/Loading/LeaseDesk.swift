import Synchronization

/// Takes leases from a source and gives them back, each within the tier's time to answer.
final class LeaseDesk: Sendable {
    /// A lease of this process, with the right to write what is loaded under it.
    private struct Held {
        let lease: Lease
        let ticket: Generations.Ticket?
    }

    /// How long a lease lasts.
    let duration: Duration
    private let tier: Tier
    private let source: any LeasingSource
    private let queue: WriteQueue
    private let held = Mutex<[Key: Held]>([:])

    /// Nil when the source of `tier` holds no leases.
    init?(_ tier: Tier, queue: WriteQueue) {
        guard let source = tier.source as? any LeasingSource, let flight = tier.sharedFlight else { return nil }
        self.tier = tier
        self.source = source
        self.queue = queue
        duration = flight.lease
    }

    /// The lease of `key`; nil when somebody else has it. One that comes too late, or for a task that was cancelled, is given back.
    ///
    /// - Parameter ticket: the right to write what is to be loaded. A lease of this process whose load may not write any more, since the
    ///   key was removed, stands in nobody's way.
    func take(_ key: Key, for ticket: Generations.Ticket?) async throws -> Lease? {
        if let outdated = held.withLock({ $0[key] }), outdated.ticket?.isCurrent == false { await release(outdated.lease) }
        let lease = Lease(key: key, holder: Self.newHolder(), end: tier.clock.now + duration)
        let isTaken = try await tier.limiting { [source, duration] in
            try await source.takeLease(of: key, for: lease.holder, lasting: duration)
        } abandoned: {
            giveBack(lease, after: $0)
        }
        guard isTaken else { return nil }
        held.withLock { $0[key] = Held(lease: lease, ticket: ticket) }
        return lease
    }

    /// Gives the lease back when the write of its key has ended that was scheduled last: at once when there is none.
    ///
    /// - Parameter work: what is to end before.
    func giveBack(_ lease: Lease, after work: Task<Void, Never>? = nil) {
        guard let work else { return queue.follow(lease.key) { await self.release(lease) } }
        // Ends with the load; cancelled when the pipelines end before.
        queue.following.adopt(
            Task {
                await work.value
                self.giveBack(lease)
            })
    }

    /// One that cannot be given back ends by itself.
    private func release(_ lease: Lease) async {
        held.withLock { held in
            if held[lease.key]?.lease.holder == lease.holder { held[lease.key] = nil }
        }
        try? await tier.limiting { [source] in try await source.releaseLease(of: lease.key, by: lease.holder) }
    }

    private static func newHolder() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined(separator: "-")
    }
}
