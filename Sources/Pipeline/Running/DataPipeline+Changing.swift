extension DataPipeline {
    /// Stores `payload` for `key` in every cache of the pipeline, as if an origin had just given it. Running loads write nothing.
    ///
    /// The outcome has the value as it was given, no source and no attempts. Its ``Outcome/writes`` say what each cache did; its
    /// ``Outcome/result`` says nothing of that.
    ///
    /// Memory holds the value when this returns. Slower caches are written later, and fetches find the value there at once:
    /// ``Outcome/waitForWrites()`` waits for the writes that nothing delays. A running removal of the key comes first. ``Outcome/writes``
    /// names a cache that cannot be written; it does not answer with what it held before. A cache that only another order of the pipeline has
    /// forgets its copy. The change is published to other processes when the cache they share holds the value.
    ///
    /// Throws ``SourceError`` for a payload that is not of the pipeline's format or larger than its `max_size`, ``ShutDownError`` when the
    /// pipelines were shut down, and `CancellationError`.
    public func put(_ payload: [UInt8], for key: Key, contentType: String? = nil) async throws -> Outcome {
        try await put(Entry(payload, created: clock.now, contentType: contentType), for: key)
    }

    package func put(_ entry: Entry, for key: Key) async throws -> Outcome {
        try checkOpen()
        guard entry.size <= spec.policy.maxSize.bytes else {
            throw SourceError("the payload is larger than max_size of the pipeline (\(spec.policy.maxSize.words))", kind: .invalid)
        }
        if let problem = spec.policy.format.problem(of: entry.payload ?? [], empty: "the payload is empty") {
            throw SourceError(problem, kind: .invalid)
        }
        subscribe()
        let (log, others) = (WriteLog(), invalidation.caches(besides: tiers))
        try await invalidation.replace(key) { permit in
            let (call, standing) = (Call(Call.ID(key: key, policy: .refresh, purpose: .renewal), deadline: nil), Standing(permit))
            let limit = written.map(\.tier).limit(of: entry, at: clock.now)
            await followers.storing(entry, .put(freshUntil: limit), for: key, permit) { entry in
                for cache in written where cache.tier.isImmediate { await cache.store(entry, for: call, standing, log: log) }
                for cache in written where !cache.tier.isImmediate { await cache.store(entry, for: call, standing, log: log) }
                for tier in others { await tier.forget(key, Trail(), permit, because: "not in this order", log: log) }
            }
        }
        await followers.tell(.key(key), to: entry, by: .call)
        for tier in tiers + others where tier.isCache { tier.publishChange(of: key, log: log) }
        var reply = LoadReply(.value(entry), attempts: [])
        reply.writes = log
        return Outcome(reply, for: key, at: clock.now)
    }

    /// Forgets the value for these arguments in every cache. See ``remove(_:)``.
    public func remove(_ arguments: [String: String]) async throws -> RemovalReport {
        try await remove(key(arguments))
    }

    /// Forgets the value for `key` in every cache, slow ones before fast ones, and publishes that to other processes where a source does so.
    /// A load that runs meanwhile writes nothing. The removal runs to its end even when the caller is cancelled; every line of the report
    /// then says that the caller did not wait for it.
    public func remove(_ key: Key) async throws(ShutDownError) -> RemovalReport {
        try checkOpen()
        return await invalidation.remove(.key(key))
    }

    /// Forgets every value of this pipeline in every cache, as ``remove(_:)-(Key)`` removes one. Loads that run meanwhile write nothing.
    public func clear() async throws(ShutDownError) -> RemovalReport {
        try checkOpen()
        return await invalidation.remove(.pipeline(spec.name))
    }
}
