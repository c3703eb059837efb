internal import Pipeline

/// Rule 2, that a copy never outlives the copy it was made from, and rule 3, that an equal payload is not written again.
extension Machine {
    /// Writes an answer of the tier number `index` to the caches that it goes to.
    func store(_ entry: Entry, of index: Int, for load: MachineLoad) async {
        for target in tiers[index].targets { await store(entry, in: target, for: load) }
    }

    private func store(_ entry: Entry, in index: Int, for load: MachineLoad) async {
        let tier = tiers[index]
        let key = keys[Int(load.key)]
        let now = now
        let copy = entry.copy(storedAt: now, ttl: timeToLive(of: entry, in: tier))
        let wasAsked = load.asked & 1 << UInt64(index) != 0
        if entry.isNotFound && (policy.notFoundTTL == nil || !tier.keepsNotFound) || copy.freshUntil.map({ $0 <= now }) ?? false {
            return await forget(key, in: index, for: load)
        }
        var held = load.expired.first { $0.tier == index }?.entry
        if held == nil, !wasAsked, let memory = tier.memory { held = (try? memory.peek(key)) ?? nil }
        let isPromoted = entry.stored != nil && load.renewed == nil
        if let held, isSame(held, copy), isConfirmed(held, since: copy, in: tier, at: now, isPromoted: isPromoted) { return }
        let mayHoldSame = held.map { isSame($0, copy) } ?? !wasAsked
        if mayHoldSame, held == nil, tier.memory == nil { held = tier.calls.takesWrites(at: time.now) ? tier.copies[load.key] : nil }
        let isHeld = mayHoldSame && held.map { isSame($0, copy) } ?? false
        if isHeld, let held, isConfirmed(held, since: copy, in: tier, at: now, isPromoted: isPromoted) { return }
        if let memory = tier.memory {
            if isHeld, let held, (try? await memory.renew(held, as: copy, for: key)) == true { return }
            try? await memory.write(copy, for: key)
        } else if tier.calls.takesWrites(at: time.now) {
            tier.copies[load.key] = copy
        }
    }

    /// The ttl of a new copy; the ttl of a value is shortened by a random part up to the jitter.
    private func timeToLive(of entry: Entry, in tier: MachineTier) -> Duration? {
        guard let ttl = tier.freshness.timeToLive(of: entry) else { return nil }
        guard !entry.isNotFound, tier.policy.jitter > 0 else { return .nanoseconds(ttl) }
        let shortened = Double(ttl) * (1 - Double.random(in: 0...tier.policy.jitter, using: &random))
        return .nanoseconds(min(ttl, Int64(exactly: shortened.rounded(.down)) ?? .max))
    }

    private func forget(_ key: Key, in index: Int, for load: MachineLoad) async {
        guard load.lacking & 1 << UInt64(index) == 0 else { return }
        if let memory = tiers[index].memory {
            try? await memory.remove(key)
        } else if tiers[index].calls.takesWrites(at: time.now) {
            tiers[index].copies[load.key] = nil
        }
    }

    private func isSame(_ held: Entry, _ copy: Entry) -> Bool { held.payload == copy.payload }

    /// Indicates whether the copy that a cache holds is fresh and was confirmed no earlier.
    private func isConfirmed(_ held: Entry, since copy: Entry, in tier: MachineTier, at now: Timestamp, isPromoted: Bool) -> Bool {
        guard tier.freshness.verdict(of: held, at: now).isFresh, held.created >= copy.created else { return false }
        if isPromoted || held.created > copy.created { return true }
        return held.stored.map { stored in copy.stored.map { $0 <= stored } ?? true } ?? false
    }
}
