/// How the processes that share a cache combine their loads of a key into one: by a lease for each key.
struct FlightSharing: Sendable {
    private let tier: Tier
    private let queue: WriteQueue
    private let leases: LeaseClient
    private let caches: [Tier]

    private var clock: PipelineClock { tier.clock }

    /// Nil when the source of `tier` holds no leases.
    init?(_ tier: Tier, promotingTo caches: [Tier]) {
        guard let queue = tier.queue, let leases = LeaseClient(tier, queue: queue) else { return nil }
        self.tier = tier
        self.queue = queue
        self.leases = leases
        self.caches = caches
    }

    /// How the wait for a lease ended.
    private enum Claim {
        /// Another process has stored the value.
        case found(LoadReply)
        /// The attempt says how long another process had it before.
        case held(Lease, after: Attempt?)
        /// The value must be loaded without a lease; the attempt says why.
        case none(Attempt)
    }

    /// Whether the call must load what other processes may be loading.
    func concerns(_ call: Call, _ trail: Trail, _ standing: Standing) -> Bool {
        switch call.policy {
        case .default: standing.originsRestReason == nil && !trail.failed(tier.name)
        case .refresh: call.renews
        case .cacheOnly, .noStore, .offline: false
        }
    }

    /// The copy of another process, or what `loader` loads.
    func reply(to call: Call, _ trail: Trail, _ standing: Standing, loading loader: Loader) async throws -> LoadReply {
        switch try await claim(for: call, trail, standing) {
        case .found(let reply): return try await Loader(tier.name) { _, _, _ in reply }.storing(in: caches).load(call, trail, standing)
        case .held(let lease, let attempt):
            return try await reporting(attempt, call) { try await load(call, trail, standing, with: loader, holding: lease) }
        case .none(let attempt): return try await reporting(attempt, call) { try await loader.load(call, trail, standing) }
        }
    }

    /// The reply of a load, with the attempt before it.
    private func reporting(
        _ attempt: Attempt?, _ call: Call, _ load: () async throws -> LoadReply
    ) async throws -> LoadReply {
        guard let attempt else { return try await load() }
        tier.observer?(.attempt(attempt, key: call.key))
        var reply = try await load()
        reply.attempts = [attempt] + reply.attempts
        return reply
    }

    /// Waits for the lease, or for the copy of the process that has it. Stops when a load was fruitless: the next one would be, too.
    /// Checks ever less often, at least four times a second.
    private func claim(for call: Call, _ trail: Trail, _ standing: Standing) async throws -> Claim {
        let begin = clock.now
        // A holder that lives has a time limit of its own, and the lease of one that died ends.
        let limit = call.deadline ?? .distantFuture
        var pause = Duration.milliseconds(10)
        // A fruitless load before the first check says nothing about this one.
        var hasLooked = false
        var formerFruitless: String?
        while true {
            do {
                switch try await leases.take(call.key, for: standing.permit) {
                case .taken(let lease):
                    let waited = hasLooked ? wait(since: begin, forOneWhich: "ended without storing a copy") : nil
                    return try await doubleCheck(call, trail, standing, lease, after: waited)
                case .refused(let lastFruitless):
                    call.member?.leave()
                    if !hasLooked { formerFruitless = lastFruitless }
                    if let lastFruitless, lastFruitless != formerFruitless {
                        return .none(wait(since: begin, forOneWhich: "stored nothing"))
                    }
                    hasLooked = true
                }
            } catch {
                try Task.checkCancellation()
                return .none(failure(error, since: begin))
            }
            try await clock.sleep(for: min(pause, limit.duration(since: clock.now)))
            pause = min(pause * 2, .milliseconds(250))
            guard clock.now < limit else { return .none(wait(since: begin, forOneWhich: "is still loading")) }
            if let reply = try await look(for: call, trail, standing, since: begin, { "waited \($0.rounded) for another process" }) {
                return .found(reply)
            }
        }
    }

    /// Checks once more: the process that had the lease before may have stored its copy since the last check.
    private func doubleCheck(
        _ call: Call, _ trail: Trail, _ standing: Standing, _ lease: Lease, after waited: Attempt?
    ) async throws -> Claim {
        do {
            guard let reply = try await look(for: call, trail, standing, since: clock.now, { _ in "another process had just loaded it" })
            else {
                return .held(lease, after: waited)
            }
            leases.giveBack(lease)
            return .found(reply)
        } catch {
            leases.giveBack(lease)
            throw error
        }
    }

    /// Loads, and releases the lease when the cache has the answer or has failed to take it; at once when there is none. A load that was
    /// cancelled does not count as fruitless, since another process may do better.
    private func load(
        _ call: Call, _ trail: Trail, _ standing: Standing, with loader: Loader, holding lease: Lease
    ) async throws -> LoadReply {
        var leased = standing
        leased.leases[tier.name] = lease
        let result = await Result { try await loader.load(call, trail, leased) }
        let isWanted: @Sendable (Entry) -> Bool = { isNews($0, to: call, trail) }
        leases.giveBack(lease, after: (try? result.get())?.course.ongoing, wanting: Task.isCancelled ? nil : isWanted)
        return try result.get()
    }

    /// The copy that the cache has now, if it is what `call` must load.
    private func look(
        for call: Call, _ trail: Trail, _ standing: Standing, since begin: Timestamp, _ reason: (Duration) -> String
    ) async throws -> LoadReply? {
        let again = call.asking(with: .default)
        var reply = try await tier.lookingAgain().load(again, trail, standing)
        guard isWanted(reply, by: call, trail), let last = reply.attempts.last else { return nil }
        let waited = clock.now.duration(since: begin)
        let attempt = Attempt(tier.name, last.outcome, duration: waited, reason: reason(waited))
        tier.observer?(.attempt(attempt, key: call.key))
        reply.attempts = [attempt]
        return reply
    }

    private func isWanted(_ reply: LoadReply, by call: Call, _ trail: Trail) -> Bool {
        switch reply.answer {
        case .value(let entry), .notFound(let entry): isNews(entry, to: call, trail)
        case .stale, .none, .failed: false
        }
    }

    /// A refresh needs a copy newer than the value that it replaces; other loads need any fresh copy.
    private func isNews(_ entry: Entry, to call: Call, _ trail: Trail) -> Bool {
        !call.renews || trail.expired.allSatisfy { $0.entry.created < entry.created }
    }

    private func failure(_ error: any Error, since begin: Timestamp) -> Attempt {
        let reason = "loaded without a lease: \(tier.redactor.redacted("\(error)"))"
        return Attempt(tier.name, .error, duration: clock.now.duration(since: begin), reason: reason, error: error)
    }

    private func wait(since begin: Timestamp, forOneWhich end: String) -> Attempt {
        let waited = clock.now.duration(since: begin)
        return Attempt(tier.name, .miss, duration: waited, reason: "waited \(waited.rounded) for another process, which \(end)")
    }
}

extension Loader {
    /// Lets one of several processes that find no fresh copy in `tier` load from this loader. The others wait for its copy there.
    ///
    /// The loader is the one that `tier` falls back to, and its answers must be stored in `tier`, where the others wait for them. When one
    /// is not stored, or the load fails, the other processes load at once, each for itself. The lease of the one that loads is renewed until its
    /// answer is stored; when its process dies, one of the others takes over as soon as the lease ends. Does nothing for a source that holds
    /// no leases. When the source cannot be asked for a lease, this loader loads without one.
    ///
    /// A fetch with the policy `refresh` loads for itself; a refresh in the background takes part, and takes what another process has loaded
    /// since.
    ///
    /// - Parameter caches: the tiers before `tier`, which get what is found there.
    package func sharingFlight(in tier: Tier, promotingTo caches: [Tier] = []) -> Loader {
        guard let sharing = FlightSharing(tier, promotingTo: caches) else { return self }
        return Loader(name) { call, trail, standing in
            guard sharing.concerns(call, trail, standing) else { return try await load(call, trail, standing) }
            return try await sharing.reply(to: call, trail, standing, loading: self)
        }
    }
}
