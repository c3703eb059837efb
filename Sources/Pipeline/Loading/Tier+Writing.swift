extension Tier {
    /// Writes an answer to this cache, or begins to, and notes the result in `log`.
    ///
    /// - Parameter place: this tier, for what is kept until the write has ended.
    func store(_ entry: Entry, for call: Call, after trail: Trail, _ standing: Standing, log: WriteLog, in place: TierReference) async {
        guard isCache else { return }
        if let reason = entry.notKept { return await forget(call.key, trail, standing.permit, because: reason, log: log) }
        let now = rules.confirmation?.storing(clock.now, ofLoadSince: standing.permit?.confirmedSince) ?? clock.now
        let copy = entry.copy(storedAt: now, ttl: timeToLive(of: entry))
        // A refresh takes from a cache what is fresh for longer: its point are the new times.
        let isPromoted = entry.stored != nil && !call.renews
        if entry.isNotFound, pipeline.notFoundTTL == nil || !capabilities.contains(.keepsNotFound) {
            return await forget(call.key, trail, standing.permit, because: nil, log: log)
        }
        if let limit = copy.freshUntil, limit <= clock.now, !isKeptExpired(entry, since: limit) {
            let reason = policy.ttl == .zero ? "ttl 0s" : "expired already"
            return await forget(call.key, trail, standing.permit, because: reason, log: log)
        }
        let isPut = standing.permit?.isReplacement ?? false
        // A value that is put counts from here on, whatever was there before.
        let (waiting, held) = isPut ? (nil, nil) : heldAtHand(call.key, trail)
        if let held = waiting ?? held, isSame(held, as: copy), isConfirmed(held, since: copy, isPromoted: isPromoted) {
            var known = held
            known.freshUntil = rules.freshness.limit(of: held)
            note(WriteRecord(name, .unchanged), in: log, for: call.key, of: known)
            return
        }
        await write(
            copy, for: call, after: trail, standing, log: log, in: place, held: held, isPromoted: isPromoted,
            mayHoldSame: held.map { isSame($0, as: copy) } ?? !(isPut || trail.asked(name)))
    }

    /// Whether a copy is kept although it is expired already: its origin says how long it is fresh, and it can be confirmed or served all the
    /// same.
    private func isKeptExpired(_ entry: Entry, since limit: Timestamp) -> Bool {
        entry.cacheControl != nil && policy.ttl != .zero && rules.freshness.isOfUse(entry, expiredSince: limit, at: clock.now)
    }

    /// Writes a value that changes were merged into, or begins to. The copy gets no younger: it is fresh as long as that of the value was that
    /// they were merged into.
    ///
    /// - Parameter landed: when that value was stored.
    func store(merged entry: Entry, landed: Timestamp, for call: Call, _ standing: Standing, log: WriteLog, in place: TierReference) async {
        if let reason = entry.notKept { return await forget(call.key, Trail(), standing.permit, because: reason, log: log) }
        var copy = entry.copy(storedAt: landed, ttl: timeToLive(of: entry))
        if isImmediate, let held = try? source.peek(call.key), held.created == entry.created {
            (copy.stored, copy.freshUntil) = (held.stored, held.freshUntil)
        }
        await write(
            copy, for: call, after: Trail(), standing, log: log, in: place, held: nil, isPromoted: false, mayHoldSame: false,
            sparing: leavingToAnother(call.key))
    }

    /// Where processes share the cache, one of them writes the changes of a key: the one that holds a lease for that, which is not the lease
    /// under which the key is loaded.
    private func leavingToAnother(_ key: Key) -> WriteLane.Operation.Sparing? {
        guard let shared, let flight = sharedFlight, let queue else { return nil }
        let lease = Key(pipeline: key.pipeline, parameters: key.parameters + [Parameter(name: "(changes)", value: "")])
        return { _ in
            let isOurs = try await shared.takeLease(
                of: lease, for: queue.writer, lasting: max(flight.lease, policy.debounce.map { $0 * 2 } ?? .zero))
            return isOurs ? nil : .leftToAnother
        }
    }

    private func write(
        _ copy: Entry, for call: Call, after trail: Trail, _ standing: Standing, log: WriteLog, in place: TierReference, held: Entry?,
        isPromoted: Bool, mayHoldSame: Bool, sparing: WriteLane.Operation.Sparing? = nil
    ) async {
        guard let queue else { return }
        let admission = breaker?.admit() ?? .free
        if case .refused(let pause) = admission {
            let reason = CircuitBreaker.reason(openFor: pause)
            if standing.replaces(for: call) { return await forget(call.key, trail, standing.permit, because: reason, log: log) }
            note(WriteRecord(name, .skipped, reason: reason), in: log, for: call.key)
            return
        }
        let isUnderWay = policy.debounce == nil
        let index = log.append(WriteRecord(name, .scheduled), isUnderWay: isUnderWay, of: copy)
        let pending = PendingWrite(
            in: place, for: call.key, standing, log: log, index: index, isUnderWay: isUnderWay, held: held, isPromoted: isPromoted,
            mayHoldSame: mayHoldSame, isProbe: admission == .probe)
        if isImmediate, isUnderWay {
            // Before the fetch returns: memory is where the next fetch looks first.
            let ending = await queue.apply(
                .write(copy), permit: standing.permit, sparing: sparing ?? pending.sparing, leavingNoOlder: standing.replaces(for: call),
                for: call.key)
            pending.end(ending)
            return
        }
        var operation = WriteLane.Operation(change: .write(copy), debounce: policy.debounce, permit: standing.permit)
        operation.maxDelay = policy.maxDelay ?? TierPolicy.defaultMaxDelay(debounce: policy.debounce ?? .zero)
        operation.limit = policy.timeout
        operation.leavesNoOlder = standing.replaces(for: call)
        operation.sparing = sparing ?? pending.sparing
        operation.completion = { pending.end($0) }
        queue.schedule(operation, for: call.key)
    }

    /// The ttl of a new copy, that of a value shortened by a random part up to the jitter.
    private func timeToLive(of entry: Entry) -> Duration? {
        guard let ttl = rules.freshness.timeToLive(of: entry) else { return nil }
        guard !entry.isNotFound, policy.jitter > 0 else { return .nanoseconds(ttl) }
        var generator = random
        let shortened = Double(ttl) * (1 - Double.random(in: 0...policy.jitter, using: &generator))
        // The longest ttl has no exact `Double`, and the nearest one is no `Int64`.
        return .nanoseconds(min(ttl, Int64(exactly: shortened.rounded(.down)) ?? .max))
    }

    /// What waits to be written to the cache, or else what it is known to hold without being asked anew: what was found expired, and what
    /// memory has.
    private func heldAtHand(_ key: Key, _ trail: Trail) -> (waiting: Entry?, held: Entry?) {
        switch queue?.view(of: key) {
        // A write without a delay may still fail, and is not tried again: this write compares with what the cache holds in its own turn.
        case .pending(let entry): return (policy.debounce == nil ? nil : entry, nil)
        case .failedRemoval: return (nil, nil)
        case .source, nil: break
        }
        if let expired = trail.expired.first(where: { $0.source == name }) { return (nil, expired.entry) }
        return (nil, trail.asked(name) || !isImmediate ? nil : try? source.peek(key))
    }

    /// Whether the two differ in nothing but their times.
    func isSame(_ held: Entry, as copy: Entry) -> Bool {
        held.payload == copy.payload && held.etag == copy.etag && held.contentType == copy.contentType
    }

    /// Whether `held` needs no new times: it is fresh, and its origin gave or confirmed it no earlier than `copy`.
    ///
    /// - Parameter isPromoted: whether the copy comes from another cache. What an origin gives is confirmed now, also where it says that
    ///   it was created long ago, as a file does.
    func isConfirmed(_ held: Entry, since copy: Entry, isPromoted: Bool) -> Bool {
        guard isFresh(held), held.created >= copy.created, held.variant == copy.variant else { return false }
        if isPromoted || held.created > copy.created { return true }
        return held.stored.map { stored in copy.stored.map { $0 <= stored } ?? true } ?? false
    }

    /// Whether a copy that this cache holds is fresh there.
    package func isFresh(_ held: Entry) -> Bool { rules.isFresh(held, at: clock.now) }

    /// Removes what the cache holds, since the answer must not be kept, or the origin says that there is no value.
    func forget(
        _ key: Key, _ trail: Trail, _ permit: Generations.WritePermit?, because reason: String?, log: WriteLog
    ) async {
        guard let queue else { return }
        let hasNothing = trail.lacks(name)
        if hasNothing, reason == nil { return }
        let index = note(
            WriteRecord(
                name, .skipped,
                reason: [reason ?? "not_found is not kept", hasNothing ? nil : "the old copy is removed"]
                    .compactMap { $0 }.joined(separator: ", ")), in: log, for: key)
        guard !hasNothing, permit?.isCurrent ?? true else { return }
        if isImmediate {
            ifFailed(await queue.apply(.remove, for: key), at: index, in: log, for: key, permit)
        } else {
            let removal = WriteLane.Operation(change: .remove, completion: { [self] in ifFailed($0, at: index, in: log, for: key, permit) })
            queue.schedule(removal.within(policy.timeLimit), for: key)
        }
    }

    private func ifFailed(_ ending: WriteLane.Ending, at index: Int, in log: WriteLog, for key: Key, _ permit: Generations.WritePermit?) {
        guard case .failed = ending else { return }
        end(ending, for: key, isPut: permit?.isReplacement ?? false) { log.update(index, to: $0) }
    }

    /// Records a write that ended before it began.
    @discardableResult
    private func note(_ record: WriteRecord, in log: WriteLog, for key: Key, of copy: Entry? = nil) -> Int {
        defer { observer?(.write(record, key: key)) }
        return log.append(record, of: copy)
    }

    /// Writes nothing: what the cache holds stays as it is.
    func skip(_ key: Key, because reason: String, log: WriteLog) {
        note(WriteRecord(name, .skipped, reason: reason), in: log, for: key)
    }

    /// Records how a write ended.
    ///
    /// - Parameters:
    ///   - hadFailed: whether the same write failed before. Observers then receive no event for another failure.
    ///   - isProbe: whether it decides for the circuit, and has not done so yet: where the source was not asked, another may.
    ///   - note: given the record after the observers, so that a caller that waits for the end finds their events.
    func end(
        _ ending: WriteLane.Ending, for key: Key, isPut: Bool, hadFailed: Bool = false, isProbe: Bool = false,
        _ note: (WriteRecord) -> Void
    ) {
        let leavesOlder = queue?.failedRemovals.contains(key) ?? false
        var record = record(of: ending, isPut: isPut, leavesOlder: leavesOlder, admitted: isProbe ? .probe : .free)
        record.isRecovery = hadFailed && record.outcome == .written
        if !hadFailed || record.outcome != .failed { observer?(.write(record, key: key)) }
        note(record)
    }

    private func record(
        of ending: WriteLane.Ending, isPut: Bool, leavesOlder: Bool, admitted admission: CircuitBreaker.Admission
    ) -> WriteRecord {
        switch ending {
        case .done:
            breaker?.succeed(.write)
            return WriteRecord(name, .written)
        case .renewed:
            breaker?.succeed(.write)
            return WriteRecord(name, .renewed)
        case .unchanged:
            breaker?.giveBack(admission)
            return WriteRecord(name, .unchanged)
        case .notKept(let reason):
            breaker?.succeed(.write)
            return WriteRecord(name, .skipped, reason: redactor.redacted(reason))
        case .failed(let error):
            breaker?.fail(.write)
            let words = (leavesOlder ? "the old copy is still there: " : "") + redactor.redacted("\(error)")
            return WriteRecord(name, .failed, reason: words, error: error)
        case .leftToAnother:
            breaker?.giveBack(admission)
            return WriteRecord(name, .skipped, reason: "another process writes the changes of this key")
        case .superseded:
            breaker?.giveBack(admission)
            return WriteRecord(name, .skipped, reason: "a newer value took its place")
        case .outdated:
            breaker?.giveBack(admission)
            return WriteRecord(name, .skipped, reason: isPut ? "removed or replaced meanwhile" : "removed while it was loaded")
        case .refused:
            breaker?.giveBack(admission)
            return WriteRecord(name, .skipped, reason: "\(ShutDownError())")
        case .abandoned:
            breaker?.giveBack(admission)
            return WriteRecord(name, .failed, reason: "the caller stopped waiting before the write ended")
        }
    }
}
