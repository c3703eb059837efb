public import Pipeline
extension DataPipeline {
    /// The value for these arguments as it changes. See ``snapshots(_:priority:)-(Key,_)``.
    public func snapshots(_ arguments: [String: String] = [:], priority: Priority? = nil) throws(UsageError) -> Snapshots {
        snapshots(try key(arguments), priority: priority)
    }

    /// The value of `key` as it changes, in whatever way it does: by fetches, refreshes, feeds, ``put(_:for:contentType:)``, removals, and
    /// messages of other processes.
    ///
    /// Nothing begins before the sequence is iterated. The first observer of a key fetches the value, and starts its feeds; they end 5 s after
    /// the last observer. When that leaves, a load that it began and that no fetch waits for is cancelled.
    ///
    /// - Parameter priority: how important that fetch is; nil for the pipeline's own.
    public func snapshots(_ key: Key, priority: Priority? = nil) -> Snapshots {
        Snapshots { [self] in LiveObserver(lives.hold(key, of: self), priority: priority) }
    }

    /// The value of `key` as it changes, for an observer that can wait: where no copy is at hand, the value is fetched when the feeds have
    /// begun, or after `patience`. A load before that would be made once more.
    package func snapshots(_ key: Key, priority: Priority? = nil, patience: Duration) -> Snapshots {
        Snapshots { [self] in LiveObserver(lives.hold(key, of: self), priority: priority, patience: patience) }
    }

    /// Keeps the feeds of `key` running until the result is released, and 5 s longer; nil for a pipeline without feeds.
    ///
    /// Changes that come before the first load has landed are merged into a copy that a cache has, also an expired one.
    ///
    /// - Parameter withParts: whether the feeds of what the value is made from run, too, from its first load on.
    package func keepFed(_ key: Key, withParts: Bool = false) -> (any Sendable)? {
        let isFed = !spec.live.isEmpty
        guard isFed || withParts && asksOthers, let live = lives.hold(key, of: self) else { return nil }
        if isFed { live.findBase(with: self) }
        return LiveHold(live)
    }

    /// The number of the life that `key` is in, from its first observer until 5 s after the last; revisions count anew in each. Nil while
    /// it is in none.
    package func life(of key: Key) -> UInt64? { lives[key]?.life }

    /// Calls `change` with each snapshot of `key`, one after the other, in a task of its own, until `owner` is released or the token is
    /// cancelled. `owner` is held weakly; the observation ends within a second of its release.
    ///
    /// To call an owner on the main actor, write `await` in the closure:
    ///
    /// ```swift
    /// token = friends.observe(key, owner: self) { list, snapshot in await list.show(snapshot) }
    /// ```
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ key: Key, owner: Owner, _ change: @escaping @Sendable (Owner, Snapshot) async -> Void
    ) -> LiveToken {
        let snapshots = snapshots(key)
        let token = LiveToken(on: lives.clock) { [weak owner] in owner == nil }
        token.run { [weak owner] in
            for await snapshot in snapshots {
                guard let owner else { return }
                await change(owner, snapshot)
            }
        }
        return token
    }

    /// Calls `change` with each snapshot for these arguments. See ``observe(_:owner:_:)-(Key,_,_)``.
    ///
    /// Throws `UsageError` when the arguments are not those of the pipeline.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ arguments: [String: String], owner: Owner, _ change: @escaping @Sendable (Owner, Snapshot) async -> Void
    ) throws(UsageError) -> LiveToken {
        observe(try key(arguments), owner: owner, change)
    }
}
