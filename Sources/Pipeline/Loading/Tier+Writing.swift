extension Tier {
    /// Writes an answer to this cache, or begins to, and notes in `log` what came of it.
    func store(_ entry: Entry, for request: LoadRequest, log: WriteLog) async {
        guard let queue else { return }
        let copy = entry.copy(storedAt: clock.now, ttl: timeToLive(of: entry))
        if entry.isNotFound, pipeline.notFoundTTL == nil || !keepsNotFound {
            return await forget(request, in: queue, because: nil, log: log)
        }
        if let limit = copy.freshUntil, limit <= clock.now {
            let reason = policy.ttl.limit == .zero ? "ttl 0s" : "expired already"
            return await forget(request, in: queue, because: reason, log: log)
        }
        if await holdsSame(copy, for: request) {
            _ = log.append(WriteRecord(name, .unchanged))
            return
        }
        if let pause = breaker?.pause() {
            _ = log.append(WriteRecord(name, .skipped, reason: "circuit open for another \(pause.rounded)"))
            return
        }
        let isUnderWay = policy.debounce == nil
        let index = log.append(WriteRecord(name, .scheduled), isUnderWay: isUnderWay)
        let operation = WriteLane.Operation(
            change: .write(copy), debounce: policy.debounce,
            maxDelay: policy.maxDelay ?? (policy.debounce ?? .zero) * 10, ticket: request.ticket
        ) { [self] in log.update(index, to: record(of: $0), isEnd: isUnderWay) }
        if isImmediate, isUnderWay {
            // Before the fetch returns: memory is where the next fetch looks first.
            let ending = await queue.apply(operation.change, ticket: request.ticket, for: request.key)
            log.update(index, to: record(of: ending), isEnd: true)
        } else {
            queue.schedule(operation, for: request.key)
        }
    }

    /// The ttl of a new copy, shortened by a random part up to the jitter.
    private func timeToLive(of entry: Entry) -> Duration? {
        let ttl = policy.ttl.limit
        if entry.isNotFound { return [pipeline.notFoundTTL, ttl].compactMap { $0 }.min() }
        guard let ttl, policy.jitter.value > 0 else { return ttl }
        return .nanoseconds(Int64(Double(ttl.saturatedNanoseconds) * (1 - Double.random(in: 0...policy.jitter.value))))
    }

    /// Whether the cache holds the same value, fresh: then a write would only cost.
    private func holdsSame(_ copy: Entry, for request: LoadRequest) async -> Bool {
        guard !request.renews, !request.lacking.contains(name), !request.expired.contains(where: { $0.source == name }) else {
            return false
        }
        let held = await present(request.key)
        guard let held, held.payload == copy.payload, held.etag == copy.etag, held.contentType == copy.contentType else {
            return false
        }
        var judged = held
        judged.freshUntil = limit(of: held)
        return judged.isFresh(at: clock.now)
    }

    private func present(_ key: Key) async -> Entry? {
        if let pending = queue?.pending(key) { return pending }
        if let source = source as? any ImmediateSource { return source.peek(key) }
        return try? await source.read(key)
    }

    /// What the cache holds must go: it is not to be kept, or the origin says that there is none.
    private func forget(_ request: LoadRequest, in queue: WriteQueue, because reason: String?, log: WriteLog) async {
        let hasNothing = request.lacking.contains(name)
        let index = log.append(
            WriteRecord(name, .skipped, reason: [reason ?? "not_found is not kept", hasNothing ? nil : "the old copy is removed"]
                .compactMap { $0 }.joined(separator: ", ")))
        guard !hasNothing, request.ticket?.isCurrent ?? true else { return }
        if isImmediate {
            ifFailed(await queue.apply(.remove, for: request.key), at: index, in: log)
        } else {
            let removal = WriteLane.Operation(change: .remove) { [self] in ifFailed($0, at: index, in: log) }
            queue.schedule(removal, for: request.key)
        }
    }

    private func ifFailed(_ ending: WriteLane.Ending, at index: Int, in log: WriteLog) {
        if case .failed = ending { log.update(index, to: record(of: ending)) }
    }

    private func record(of ending: WriteLane.Ending) -> WriteRecord {
        switch ending {
        case .done:
            breaker?.succeed()
            return WriteRecord(name, .written)
        case .failed(let error):
            breaker?.fail()
            return WriteRecord(name, .failed, reason: redactor.redacted("\(error)"), error: error)
        case .superseded: return WriteRecord(name, .skipped, reason: "a newer value took its place")
        case .outdated: return WriteRecord(name, .skipped, reason: "removed while it was loaded")
        case .abandoned: return WriteRecord(name, .failed, reason: "the process ended before it was written")
        }
    }
}
