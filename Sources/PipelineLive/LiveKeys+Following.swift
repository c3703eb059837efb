package import Pipeline
import Synchronization

extension Invalidation {
    /// The keys of the pipeline that are observed or fed.
    package var lives: LiveKeys { followers.member { LiveKeys(among: followers, commons) } }
}

extension DataPipeline {
    /// The keys of the pipeline that are observed or fed.
    var lives: LiveKeys { invalidation.lives }
}

extension LiveKeys: KeyFollower {
    package func follows(_ key: Key) -> Bool { self[key]?.mayBeNewer ?? false }

    package func confirmation(of key: Key) -> CopyConfirmation? { self[key]?.confirmation }

    package func loading(_ call: Call, _ standing: Standing, _ load: Following) async throws -> LoadReply {
        guard let live = self[call.key] else {
            let reply = try await load(standing)
            // It may have become one meanwhile.
            if let live = self[call.key] { live.endLoad(live.beginLoad(), with: reply, of: call, standing.permit) }
            return reply
        }
        var standing = standing
        let number = live.beginLoad()
        standing.followed = number
        do {
            let reply = try await load(standing)
            live.endLoad(number, with: reply, of: call, standing.permit)
            return reply
        } catch {
            live.endLoad(number, with: nil, of: call, standing.permit)
            throw error
        }
    }

    /// The answer lands as it is, with every change that came since the origin was asked. One that is made from others lands also if one of
    /// those has changed meanwhile, and no cache takes it: its observers must not wait until nothing changes.
    package func landing(
        _ call: Call, _ standing: Standing, freshUntil limit: @Sendable (Entry) -> Timestamp?, _ load: Following
    ) async throws -> LoadReply {
        guard let live = self[call.key] else { return try await load(standing) }
        let mark = live.beginAsking()
        do {
            var reply = try await load(standing)
            let entry: Entry? =
                switch reply.answer {
                case .value(let entry), .notFound(let entry): entry
                case .stale, .none, .failed: nil
                }
            guard let entry, reply.detail != nil || standing.permit?.isCurrent ?? true else {
                live.endAsking(mark)
                return reply
            }
            let landed = live.land(
                entry, from: reply.source, mark, of: standing.followed, freshUntil: limit(entry), with: reply.detail)
            if case .value = reply.answer { reply.answer = landed.isNotFound ? .notFound(landed) : .value(landed) }
            return reply
        } catch {
            live.endAsking(mark)
            throw error
        }
    }

    package func storing(
        _ entry: Entry, _ coming: Coming, for key: Key, _ permit: Generations.WritePermit?, _ store: (Entry) async -> Void
    ) async {
        guard let live = self[key] else { return await store(entry) }
        switch coming {
        case .loaded(let source): await live.store(entry, from: source, permit, store)
        case .put(let limit):
            live.replace(entry, freshUntil: limit)
            await live.lane.run { await store(entry) }
        }
    }

    package func settle(_ key: Key?, mayLeave: Bool) async throws {
        guard let key else {
            for live in keys() where live.isDirty.load(ordering: .acquiring) { await live.settle() }
            return
        }
        guard let live = self[key] else { return }
        if !mayLeave { return await live.settle() }
        guard live.isDirty.load(ordering: .acquiring) else { return }
        try Task.checkCancellation()
        try await live.settleForFetch()
    }

    package func void(_ gone: InvalidationMessage) {
        for key in keys(where: gone.concerns) { key.void() }
    }

    /// A value that another process changed is loaded again for its observers.
    package func changed(_ change: KeyChange) async {
        if change.cause == .messageEnded { for key in keys(where: change.keys.concerns) { key.fetchForObserver() } }
    }

    package func succeed(_ step: Succession) {
        switch step {
        case .begin(let pipeline): takeOver(by: pipeline)
        case .refetch: fetchForObservers()
        case .end: end()
        }
    }
}
