/// Takes leases from a source and gives them back, each within the tier's time to answer.
struct LeaseDesk: Sendable {
    /// How long a lease lasts.
    let duration: Duration
    private let source: any LeasingSource
    private let queue: WriteQueue
    private let limit: Duration
    private let clock: PipelineClock

    /// Nil when the source of `tier` holds no leases.
    init?(_ tier: Tier, queue: WriteQueue) {
        guard let source = tier.source as? any LeasingSource, let flight = source.sharedFlight else { return nil }
        self.source = source
        self.queue = queue
        duration = flight.lease
        limit = tier.policy.timeout ?? TierPolicy.defaultTimeout
        clock = tier.clock
    }

    /// The lease of `key`; nil when somebody else has it. One that comes too late, or for a task that was cancelled, is given back.
    func take(_ key: Key) async throws -> Lease? {
        let lease = Lease(key: key, holder: Self.newHolder(), end: clock.now + duration)
        let race = Race<Bool>()
        // Ends with its operation; cancelled below when nobody waits for it any more.
        let work = Task.beginning {
            _ = race.finish(await Result { try await source.takeLease(of: key, for: lease.holder, lasting: duration) })
        }
        // Ends at the limit or when it is cancelled below.
        let timer = Task {
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            race.finish(.failure(SourceError(timeout: "no answer within \(limit.written ?? "")")))
        }
        defer { timer.cancel() }
        do {
            return try await race.value() ? lease : nil
        } catch {
            work.cancel()
            giveBack(lease, after: work)
            throw error
        }
    }

    /// Gives the lease back when the write of its key has ended that was scheduled last: at once when there is none.
    ///
    /// - Parameter work: what is to end before.
    func giveBack(_ lease: Lease, after work: Task<Void, Never>? = nil) {
        let source = source
        guard let work else { return queue.follow(lease.key) { try? await source.releaseLease(of: lease.key, by: lease.holder) } }
        // Ends with the load; cancelled when the pipelines end before.
        queue.following.adopt(
            Task {
                await work.value
                giveBack(lease)
            })
    }

    private static func newHolder() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined(separator: "-")
    }
}
