extension Tier {
    /// Writes an answer to this cache, or begins to, and notes in `log` what came of it.
    ///
    /// - Parameter place: this tier, for what is kept until the write has ended.
    func store(_ entry: Entry, for request: LoadRequest, log: WriteLog, in place: TierReference) async {
        guard let queue else { return }
        let now = horizon?.storing(clock.now, ofLoadSince: request.heardSince) ?? clock.now
        let copy = entry.copy(storedAt: now, ttl: timeToLive(of: entry))
        if entry.isNotFound, pipeline.notFoundTTL == nil || !keepsNotFound {
            return await forget(request, because: nil, log: log)
        }
        if let limit = copy.freshUntil, limit <= clock.now {
            let reason = policy.ttl.limit == .zero ? "ttl 0s" : "expired already"
            return await forget(request, because: reason, log: log)
        }
        if let held = peeked(request), isSame(held, as: copy) {
            note(WriteRecord(name, .unchanged), in: log, for: request)
            return
        }
        if let pause = breaker?.pause() {
            note(WriteRecord(name, .skipped, reason: "circuit open for another \(pause.rounded)"), in: log, for: request)
            return
        }
        let isUnderWay = policy.debounce == nil
        let index = log.append(WriteRecord(name, .scheduled), isUnderWay: isUnderWay)
        let pending = PendingWrite(
            in: place, for: request, log: log, index: index, isUnderWay: isUnderWay, comparesValues: mustCompare(request))
        if isImmediate, isUnderWay {
            // Before the fetch returns: memory is where the next fetch looks first.
            pending.end(await queue.apply(.write(copy), ticket: request.ticket, for: request.key))
            return
        }
        var operation = WriteLane.Operation(change: .write(copy), debounce: policy.debounce, ticket: request.ticket)
        operation.maxDelay = policy.maxDelay ?? TierPolicy.defaultMaxDelay(debounce: policy.debounce ?? .zero)
        operation.limit = policy.timeout
        if pending.maySpare { operation.sparing = { await pending.needlessness(of: $0) } }
        operation.completion = { pending.end($0) }
        queue.schedule(operation, for: request.key)
    }

    /// The ttl of a new copy, shortened by a random part up to the jitter.
    private func timeToLive(of entry: Entry) -> Duration? {
        let ttl = policy.ttl.limit
        if entry.isNotFound { return [pipeline.notFoundTTL, ttl].compactMap { $0 }.min() }
        guard let ttl, policy.jitter.value > 0 else { return ttl }
        var generator = random
        let shortened = Double(ttl.saturatedNanoseconds) * (1 - Double.random(in: 0...policy.jitter.value, using: &generator))
        // The longest ttl has no exact `Double`, and the nearest one is no `Int64`.
        return min(ttl, .nanoseconds(Int64(exactly: shortened.rounded(.down)) ?? .max))
    }

    /// Whether the cache may hold the same value: it was not asked in this fetch, and a new time is not the point of the write.
    private func mustCompare(_ request: LoadRequest) -> Bool {
        !request.renews && !request.asked.contains(name)
    }

    /// What the cache can say at once that it holds, or is about to.
    private func peeked(_ request: LoadRequest) -> Entry? {
        guard mustCompare(request) else { return nil }
        switch queue?.view(of: request.key) {
        // One that nothing delays may still fail, and is not tried again: what the cache holds is compared in the turn of this one.
        case .pending(.some) where policy.debounce == nil: return nil
        case .pending(let entry): return entry
        case .distrusted: return nil
        case .source, nil: return immediate?.peek(request.key)
        }
    }

    /// Whether a copy that this cache holds is fresh and has the same value.
    func isSame(_ held: Entry, as copy: Entry) -> Bool {
        guard held.payload == copy.payload, held.etag == copy.etag, held.contentType == copy.contentType else { return false }
        return isFresh(held)
    }

    /// Whether a copy that this cache holds is fresh there.
    func isFresh(_ held: Entry) -> Bool {
        var judged = held
        judged.freshUntil = freshness.limit(of: held)
        return judged.isFresh(at: clock.now) && horizon?.hides(held) != true
    }

    /// What the cache holds must go: it is not to be kept, or the origin says that there is none.
    func forget(_ request: LoadRequest, because reason: String?, log: WriteLog) async {
        guard let queue else { return }
        let hasNothing = request.lacking.contains(name)
        if hasNothing, reason == nil { return }
        let index = note(
            WriteRecord(
                name, .skipped,
                reason: [reason ?? "not_found is not kept", hasNothing ? nil : "the old copy is removed"]
                    .compactMap { $0 }.joined(separator: ", ")), in: log, for: request)
        guard !hasNothing, request.ticket?.isCurrent ?? true else { return }
        if isImmediate {
            ifFailed(await queue.apply(.remove, for: request.key), at: index, in: log, for: request)
        } else {
            let removal = WriteLane.Operation(change: .remove, completion: { [self] in ifFailed($0, at: index, in: log, for: request) })
            queue.schedule(removal, for: request.key)
        }
    }

    private func ifFailed(_ ending: WriteLane.Ending, at index: Int, in log: WriteLog, for request: LoadRequest) {
        guard case .failed = ending else { return }
        end(ending, for: request.key, isPut: request.ticket?.isReplacement ?? false) { log.update(index, to: $0) }
    }

    /// A write that is over before it began.
    @discardableResult
    private func note(_ record: WriteRecord, in log: WriteLog, for request: LoadRequest) -> Int {
        defer { observer?(.write(record, key: request.key)) }
        return log.append(record)
    }

    /// Says how a write ended.
    ///
    /// - Parameters:
    ///   - hadFailed: whether the same write failed before. That it fails again is no news, and observers are not told of it.
    ///   - note: gets the record, after they were: who waits for the end may look at what they were told.
    func end(
        _ ending: WriteLane.Ending, for key: Key, isPut: Bool, hadFailed: Bool = false, _ note: (WriteRecord) -> Void
    ) {
        var record = record(of: ending, isPut: isPut)
        record.isRecovery = hadFailed && record.outcome == .written
        if !hadFailed || record.outcome != .failed { observer?(.write(record, key: key)) }
        note(record)
    }

    private func record(of ending: WriteLane.Ending, isPut: Bool) -> WriteRecord {
        switch ending {
        case .done:
            breaker?.succeed(.write)
            return WriteRecord(name, .written)
        case .unchanged:
            breaker?.giveBack()
            return WriteRecord(name, .unchanged)
        case .notKept(let reason):
            breaker?.succeed(.write)
            return WriteRecord(name, .skipped, reason: redactor.redacted(reason))
        case .failed(let error):
            breaker?.fail(.write)
            return WriteRecord(name, .failed, reason: redactor.redacted("\(error)"), error: error)
        case .superseded:
            breaker?.giveBack()
            return WriteRecord(name, .skipped, reason: "a newer value took its place")
        case .outdated:
            breaker?.giveBack()
            return WriteRecord(name, .skipped, reason: isPut ? "removed or replaced meanwhile" : "removed while it was loaded")
        case .refused:
            breaker?.giveBack()
            return WriteRecord(name, .skipped, reason: "\(ShutDownError())")
        case .abandoned:
            breaker?.giveBack()
            return WriteRecord(name, .failed, reason: "nobody waited for the write to end")
        }
    }
}
