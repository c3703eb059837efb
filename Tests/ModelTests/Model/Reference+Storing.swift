import Pipeline

extension Reference {
    /// Rule 3: a tier's answer goes to the caches that are to have it, memory first.
    mutating func writeBack(_ reply: Reply, of tier: Int, for request: Request, log: Int) {
        let copy: Copy
        switch reply.answer {
        case .value(let value): copy = value
        case .notFound(let notFound): copy = notFound
        case .stale, .none, .failed: return
        }
        for target in spec.targets(of: tier) { store(copy, in: target, for: request, log: log) }
    }

    /// What a user gives goes to every cache, as an origin's answer does; answers that are under way are worth nothing.
    mutating func put(_ value: Int, for key: Int) {
        generations[key] += 1
        let log = beginLog(isVisible: true)
        var request = Request(key: key, policy: .refresh)
        request.isPut = true
        let copy = Copy(payload: "\(value)", created: now)
        for tier in spec.memoryFirst(tiers.indices.filter { spec.tiers[$0].isCache && spec.tiers[$0].writes }) {
            store(copy, in: tier, for: request, log: log)
        }
    }

    private mutating func store(_ entry: Copy, in index: Int, for request: Request, log: Int) {
        let (tier, key) = (tiers[index], request.key)
        var ttl = tier.spec.ttl
        if entry.isNotFound {
            guard let notFoundTTL = spec.notFoundTTL, tier.spec.keepsNotFound else {
                // It does not keep that there is none: then it has nothing to keep.
                if !request.lacking.contains(index) { forget(request, in: index, log: log) }
                return
            }
            ttl = min(notFoundTTL, ttl ?? notFoundTTL)
        }
        var copy = entry
        copy.stored = now
        if let ttl { copy.freshUntil = min(now + ttl.ns, entry.freshUntil ?? .max) }
        if let limit = copy.freshUntil, limit <= now { return forget(request, in: index, log: log) }
        let isPromoted = entry.stored != nil && request.renewed == nil
        // What waits, what was found expired, and what memory holds, is known without asking. What is put is not compared.
        let waiting = request.isPut ? nil : pending(key, in: index)
        let held = request.isPut || waiting != nil || !isPlain(key, in: index) ? nil : knownCopy(request, in: index)
        if let known = waiting ?? held, isSame(known, as: copy), isConfirmed(known, since: copy, isPromoted: isPromoted, in: index) {
            logs[log].append("\(spec.name(index)): unchanged")
            return
        }
        let compares = held.map { isSame($0, as: copy) } ?? !(request.isPut || request.asked.contains(index))
        if tier.writeProbe == now { isTied = true }
        if tier.isOpen(at: now) {
            if request.replaces { return forget(request, in: index, log: log) }
            logs[log].append("\(spec.name(index)): skipped")
            return
        }
        let isProbe = tiers[index].beginUse(at: now)
        if case .probing = tiers[index].circuit { tiers[index].writeProbe = now }
        logs[log].append("\(spec.name(index)): scheduled")
        var write = ReferenceTier.Waiting(
            copy: copy, due: now, since: now, compares: compares, known: held, isPromoted: isPromoted,
            generation: generations[key], log: log, line: logs[log].count - 1, replaces: request.replaces, isProbe: isProbe)
        if let debounce = tier.spec.debounce {
            write.replaces = write.replaces || tiers[index].waiting[key]?.replaces == true
            write.since = supersede(key, in: index) ?? now
            write.due = min(now + debounce.ns, write.since + (tier.spec.maxDelay ?? 10 * debounce).ns)
        }
        tiers[index].waiting[key] = write
        elapse(to: now)
    }

    /// The value that waits to be written, as far as it is still worth anything.
    func pending(_ key: Int, in index: Int) -> Copy? {
        tiers[index].waiting[key].flatMap { $0.generation == generations[key] ? $0.copy : nil }
    }

    private func knownCopy(_ request: Request, in index: Int) -> Copy? {
        if let expired = request.expired[index] { return expired }
        return request.asked.contains(index) || tiers[index].spec.kind != .memory ? nil : tiers[index].copies[request.key]
    }

    private func isSame(_ held: Copy, as copy: Copy) -> Bool { held.payload == copy.payload }

    /// Rule 3: whether a copy that holds the same needs no new times. What an origin gives is confirmed when it is stored.
    private func isConfirmed(_ held: Copy, since copy: Copy, isPromoted: Bool, in index: Int) -> Bool {
        guard tiers[index].limit(of: held, in: spec).map({ now < $0 }) ?? true else { return false }
        if held.created != copy.created || isPromoted { return held.created >= copy.created }
        return (held.stored ?? .min) >= (copy.stored ?? .max)
    }

    /// What the cache holds in the turn of a write, if it is the same value.
    private func heldSame(_ waiting: ReferenceTier.Waiting, _ key: Int, in index: Int) -> Copy? {
        let tier = tiers[index]
        guard waiting.compares, !tier.isDistrusted, !tier.distrusted.contains(key) else { return nil }
        if let known = waiting.known {
            let isThere = tier.copies[key].map { isSame($0, as: known) && $0.created == known.created && $0.stored == known.stored }
            return isThere ?? false ? known : nil
        }
        guard !tier.failing.contains(.reads), let held = tier.copies[key] else { return nil }
        return isSame(held, as: waiting.copy) ? held : nil
    }

    /// What the cache holds is not to be kept.
    private mutating func forget(_ request: Request, in index: Int, log: Int) {
        logs[log].append("\(spec.name(index)): skipped")
        guard !request.lacking.contains(index) else { return }
        _ = supersede(request.key, in: index)
        if tiers[index].failing.contains(.removes) {
            logs[log][logs[log].count - 1] = "\(spec.name(index)): failed"
            tiers[index].noteFailure(.writes, at: now)
            tiers[index].distrusted.insert(request.key)
        } else {
            tiers[index].copies[request.key] = nil
            tiers[index].distrusted.remove(request.key)
        }
    }

    private mutating func write(_ copy: Copy, _ key: Int, in index: Int) -> Bool {
        guard !tiers[index].failing.contains(.writes) else {
            tiers[index].noteFailure(.writes, at: now)
            return false
        }
        tiers[index].copies[key] = copy
        tiers[index].distrusted.remove(key)
        tiers[index].noteSuccess(.writes)
        return true
    }

    /// Drops what waits; gives when it began to wait.
    private mutating func supersede(_ key: Int, in index: Int) -> Int64? {
        guard let old = tiers[index].waiting.removeValue(forKey: key) else { return nil }
        skip(old, in: index)
        return old.since
    }

    /// A write that waited is not made; one that failed before stays failed.
    private mutating func skip(_ waiting: ReferenceTier.Waiting, in index: Int) {
        guard waiting.failures == 0 else { return }
        logs[waiting.log][waiting.line] = "\(spec.name(index)): skipped"
        if waiting.isProbe { tiers[index].giveBack(at: now) }
    }
}

extension Reference {
    /// The time of a write has come; rule 6: a debounced write that fails stays pending and is tried again, ever more slowly.
    mutating func writeWaiting(_ key: Int, in index: Int) {
        guard var waiting = tiers[index].waiting.removeValue(forKey: key) else { return }
        let (log, line) = (waiting.log, waiting.line)
        guard waiting.generation == generations[key] else { return skip(waiting, in: index) }
        let held = heldSame(waiting, key, in: index)
        if let held, isConfirmed(held, since: waiting.copy, isPromoted: waiting.isPromoted, in: index) {
            logs[log][line] = "\(spec.name(index)): unchanged"
            if waiting.isProbe, waiting.failures == 0 { tiers[index].giveBack(at: now) }
        } else if write(waiting.copy, key, in: index) {
            logs[log][line] = "\(spec.name(index)): \(held == nil ? "written" : "renewed")"
        } else {
            logs[log][line] = "\(spec.name(index)): failed"
            // What it holds is older, unless it is the same and only its times could not be renewed.
            if waiting.replaces, held == nil { removeOlder(key, in: index) }
            // Once it expired, it is of no use any more.
            let isExpired = waiting.copy.freshUntil.map { $0 <= now } ?? false
            guard let debounce = tiers[index].spec.debounce, !isExpired else { return }
            waiting.failures += 1
            waiting.since = now
            let (doubled, least) = (debounce.ns << Int64(min(waiting.failures, 20)), 100.ns << Int64(min(waiting.failures - 1, 20)))
            waiting.due = now + min(max(doubled, least), max(debounce.ns, 300_000.ns))
            tiers[index].waiting[key] = waiting
        }
    }

    /// What a cache holds is older than what was put there: it is removed, or not trusted where that fails.
    private mutating func removeOlder(_ key: Int, in index: Int) {
        let holdsNothing = tiers[index].copies[key] == nil && !tiers[index].failing.contains(.reads)
        if tiers[index].failing.contains(.removes), !holdsNothing {
            tiers[index].distrusted.insert(key)
        } else {
            tiers[index].copies[key] = nil
            tiers[index].distrusted.remove(key)
        }
    }

    /// Writes what waits; gives what could not be written.
    mutating func flush() -> [String] {
        for tier in tiers.indices {
            for key in tiers[tier].waiting.keys.sorted() { writeWaiting(key, in: tier) }
        }
        return tiers.indices.flatMap { tier in tiers[tier].waiting.keys.sorted().map { "\(spec.name(tier)): \($0)" } }.sorted()
    }

    /// Rule 5: slow caches forget before fast ones.
    private var forgetting: [Int] {
        let caches = tiers.indices.filter { spec.tiers[$0].isCache }.reversed()
        return caches.filter { spec.tiers[$0].kind != .memory } + caches.filter { spec.tiers[$0].kind == .memory }
    }

    mutating func remove(_ key: Int) -> [String] {
        generations[key] += 1
        return forgetting.map { "\(spec.name($0)): \(remove(key, in: $0))" }
    }

    mutating func clear() -> [String] {
        for key in generations.indices { generations[key] += 1 }
        return forgetting.map { "\(spec.name($0)): \(clear($0))" }
    }

    /// A cache that failed to forget is not trusted until it has.
    mutating func retryRemoval(of key: Int, in index: Int) -> Bool {
        tiers[index].isDistrusted ? clear(index) : remove(key, in: index)
    }

    private mutating func remove(_ key: Int, in index: Int) -> Bool {
        _ = supersede(key, in: index)
        if tiers[index].failing.contains(.removes) {
            tiers[index].distrusted.insert(key)
            return false
        }
        tiers[index].copies[key] = nil
        tiers[index].distrusted.remove(key)
        return true
    }

    private mutating func clear(_ index: Int) -> Bool {
        for key in tiers[index].waiting.keys { _ = supersede(key, in: index) }
        if tiers[index].failing.contains(.removes) {
            tiers[index].isDistrusted = true
            return false
        }
        tiers[index].copies = [:]
        tiers[index].isDistrusted = false
        tiers[index].distrusted = []
        return true
    }
}
