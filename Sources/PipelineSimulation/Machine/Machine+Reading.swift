internal import Pipeline

/// Reads that take time: tries, limits, circuits, and the turns of a source that answers only so many at once.
extension Machine {
    func begin(_ read: MachineRead) async {
        let tier = tiers[read.tier]
        if !tier.isCache { tier.running[Int(read.key)] = read }
        await attempt(read)
    }

    /// Has the source answer, or wait for its turn, unless its circuit is open.
    func attempt(_ read: MachineRead) async {
        let tier = tiers[read.tier]
        read.began = time.now
        read.call = nil
        read.admission = tier.breaker?.admit() ?? .free
        if case .refused = read.admission { return await settle(read, nil, hasFailed: true, isSkipped: read.tries == 1) }
        // A place that has become free belongs to the first of those that wait, also while what ended it still goes on.
        guard tier.hasRoom, tier.waiting.isEmpty else {
            tier.waiting.append(read)
            return watch(read)
        }
        await serve(read)
    }

    private func serve(_ read: MachineRead) async {
        let tier = tiers[read.tier]
        let call = tier.calls.next(for: read.key, keys[Int(read.key)], at: time.now)
        tally.noteCall(of: read.tier, at: time.now)
        tier.served += 1
        read.served = time.now
        read.call = call
        if call.ending == .hangs { return watch(read) }
        if call.takes == 0 { return await answer(read) }
        let end = time.after(call.takes)
        events.insert(.answer(read), at: Timestamp(nanoseconds: end))
        if end > min(read.end, read.patience) { watch(read) }
    }

    /// Plans the end of the time that the read has.
    private func watch(_ read: MachineRead) {
        let end = min(read.end, read.patience)
        guard !read.isWatched, end < .max else { return }
        read.isWatched = true
        events.insert(.limit(read), at: Timestamp(nanoseconds: end))
    }

    func answer(_ read: MachineRead) async {
        guard let call = read.call else { return }
        let tier = tiers[read.tier]
        tier.served -= 1
        switch call.ending {
        case .failed, .down, .hangs: await fail(read)
        case .value where tier.isCache: await settle(read, tier.copies[read.key])
        case .value: await settle(read, value(for: read, since: read.served))
        case .lacking:
            await settle(
                read, tier.isCache ? tier.copies[read.key] : .notFound(created: Timestamp(nanoseconds: MachineTime.start + read.began)))
        }
        await serveNext(of: tier)
    }

    /// - Parameter began: when the source began to answer, which is when the call was counted.
    private func value(for read: MachineRead, since began: Int64) -> Entry {
        let tier = tiers[read.tier]
        let key = keys[Int(read.key)]
        let own = sizes[Int(read.key)]
        let size = own > 0 ? Int(own) : tier.calls.model.size.bytes
        tally.noteBytes(size, of: read.tier, at: began)
        return payloads.entry(
            size: size, version: tier.changes?.version(of: key, at: read.began) ?? 0,
            created: Timestamp(nanoseconds: MachineTime.start + read.began), source: tier.name)
    }

    private func serveNext(of tier: MachineTier) async {
        while tier.hasRoom, !tier.waiting.isEmpty {
            let read = tier.waiting.removeFirst()
            if !read.isOver { await serve(read) }
        }
    }

    /// Tries again, or lets the read fail. Each try counts for the circuit, and an open one ends the tries.
    private func fail(_ read: MachineRead) async {
        let tier = tiers[read.tier]
        let isOpen = tier.breaker?.fail(.read) != nil
        guard let retry = tier.policy.retry, !isOpen, time.now < read.end, read.tries < retry.attempts else {
            return await settle(read, nil, hasFailed: true)
        }
        let longest = retry.delay(after: read.tries).saturatedNanoseconds
        let pause = longest > 0 ? Int64.random(in: 0...longest, using: &random) : 0
        // A try that comes too late is not made.
        guard pause < read.end - time.now else { return await settle(read, nil, hasFailed: true) }
        read.tries += 1
        read.call = nil
        if pause == 0 { return await attempt(read) }
        if read.patience < .max { watch(read) }
        events.insert(.retry(read), at: Timestamp(nanoseconds: time.after(pause)))
    }

    /// Ends a read that has taken too long, or for which a stale copy waits no longer.
    func giveUp(_ read: MachineRead) async {
        let tier = tiers[read.tier]
        let isOverdue = read.end <= read.patience
        if read.call != nil {
            tier.served -= 1
            if isOverdue { tier.breaker?.fail(.read) }
        } else if let place = tier.waiting.firstIndex(where: { $0 === read }) {
            tier.waiting.remove(at: place)
            if isOverdue { tier.breaker?.fail(.read) }
        }
        guard isOverdue else {
            read.isOver = true
            tier.breaker?.giveBack(read.admission)
            if let load = read.loads.first { await endWithout(load) }
            return await serveNext(of: tier)
        }
        await settle(read, nil, hasFailed: true)
        await serveNext(of: tier)
    }

    /// Hands the result of a read to the loads that wait for it. Rule 1: an error goes on to the next tier, an origin's `not_found` stops.
    private func settle(_ read: MachineRead, _ entry: Entry?, hasFailed: Bool = false, isSkipped: Bool = false) async {
        let tier = tiers[read.tier]
        read.isOver = true
        if !hasFailed { tier.breaker?.succeed(.read) }
        if tier.isCache, !hasFailed {
            guard let load = read.loads.first, await !judge(entry, in: read.tier, for: load) else { return }
            return await goOn(load, hasFailed: false)
        }
        if !tier.isCache { tier.running[Int(read.key)] = nil }
        let isAnswer = entry.map { !$0.isNotFound || tier.policy.onNotFound == .stop } ?? false
        if let entry, isAnswer, let first = read.loads.first { await store(entry, of: read.tier, for: first) }
        for load in read.loads {
            if !isSkipped { load.asked |= 1 << UInt64(read.tier) }
            if let entry, isAnswer {
                await end(load, entry.isNotFound ? .notFound : .value, entry, from: read.tier)
            } else if entry == nil, !hasFailed {
                load.lacking |= 1 << UInt64(read.tier)
                await goOn(load, hasFailed: false)
            } else {
                let hasFailed = hasFailed || tier.policy.onNotFound == .fail
                if hasFailed, load !== read.loads.first { load.sharesFailure = true }
                await goOn(load, hasFailed: hasFailed)
            }
        }
    }

    private func goOn(_ load: MachineLoad, hasFailed: Bool) async {
        if hasFailed { load.hasFailed = true }
        if hasFailed, tiers[load.tier].policy.onError == .fail { return await endWithout(load) }
        load.tier += 1
        await proceed(load)
    }
}
