internal import Pipeline

/// The rules of loading in one small machine, to be read beside the rules themselves: who is asked, what is fresh, what is kept.
///
/// It plays a trace in one thread, with events in the order of their times. What a copy is worth (``Freshness``, ``StaleWindows``), when a
/// circuit opens, and what memory keeps are the engine's own.
final class Machine {
    enum Event {
        /// The source answers.
        case answer(MachineRead)
        /// The read is tried again.
        case retry(MachineRead)
        /// The read is given up.
        case limit(MachineRead)
    }

    let tiers: [MachineTier]
    let policy: PipelinePolicy
    let windows: StaleWindows
    let failures: FailureThrottle
    let time = MachineTime()
    let keys: [Key]
    let requests: [TraceRequest]
    var random: RandomGenerator
    /// The events to come.
    var events = DueHeap<Event>()
    var payloads = Payloads()
    /// The bytes of each key's value, as its last request says.
    var sizes: [Int64]
    /// The loads that run, and the refreshes, by their keys.
    private var loads: [MachineLoad?]
    private var isRefreshing: [Bool]
    var tally: Tally
    /// The answers to the first requests, for the comparison with the engine.
    private(set) var record: [Answer?]
    /// Indicates whether the first tier answers before there is a load.
    private let looksFirst: Bool
    private let sizesVary: Bool
    private let isUnchanging: Bool

    /// - Parameter recording: how many answers to remember.
    init(_ pipeline: SimulatedPipeline, trace: Trace, warmUp: Int, recording: Int) throws {
        let clock = time.clock
        tiers = try pipeline.tiers.map { try MachineTier($0, of: pipeline, clock: clock, keys: trace.keys.count) }
        policy = pipeline.policy
        windows = StaleWindows(policy, originsSay: false)
        failures = FailureThrottle(clock: clock)
        random = pipeline.random
        (keys, requests) = (trace.keys, trace.requests)
        sizes = Array(repeating: 0, count: keys.count)
        loads = Array(repeating: nil, count: keys.count)
        isRefreshing = Array(repeating: false, count: keys.count)
        tally = Tally(pipeline, trace: trace, warmUp: warmUp)
        record = Array(repeating: nil, count: min(recording, requests.count))
        looksFirst = tiers.first.map { $0.memory != nil && $0.policy.reads && $0.targets.isEmpty } ?? false
        sizesVary = requests.contains { $0.size > 0 }
        isUnchanging = tally.isUnchanging
    }

    /// The present on the time line of copies.
    var now: Timestamp { Timestamp(nanoseconds: MachineTime.start + time.now) }

    /// Plays the requests from `first` up to `end`, and what happens until then; after the last one, all that follows.
    func play(_ range: Range<Int>) async {
        for index in range {
            let moment = requests[index].time
            while let next = events.next, next.nanoseconds <= moment { await happen(at: next.nanoseconds) }
            time.now = moment
            let (isAnswered, looked) = look(index)
            if !isAnswered { await fetch(index, after: looked) }
        }
        if range.upperBound == requests.count { while let next = events.next { await happen(at: next.nanoseconds) } }
    }

    private func happen(at moment: Int64) async {
        guard let event = events.popFirst() else { return }
        time.now = moment
        switch event {
        case .answer(let read): if !read.isOver { await answer(read) }
        case .retry(let read): if !read.isOver { await attempt(read) }
        case .limit(let read): if !read.isOver { await giveUp(read) }
        }
    }

    /// Rule 2 for the tier at hand: whether it has a fresh copy, and what it has where it was asked.
    private func look(_ index: Int) -> (isAnswered: Bool, looked: Entry??) {
        let request = requests[index]
        if sizesVary, request.size > 0 { sizes[Int(request.key)] = request.size }
        guard looksFirst else { return (false, nil) }
        let tier = tiers[0]
        guard let entry = (try? tier.memory?.peek(keys[Int(request.key)])) ?? nil else { return (false, .some(nil)) }
        guard case .fresh = tier.freshness.verdict(ofCopy: entry, at: now, unconfirmedSince: nil) else { return (false, .some(entry)) }
        note(.value, entry, from: 0, to: index)
        return (true, nil)
    }

    /// Rules 1 and 7 for the tier at hand; rule 4: one load for each key.
    private func fetch(_ index: Int, after looked: Entry??) async {
        let request = requests[index]
        if let entry = looked ?? nil {
            switch tiers[0].freshness.verdict(of: entry, at: now) {
            case .notFound: return note(.notFound, nil, from: 0, to: index)
            case .due(let limit):
                note(.value, entry, from: 0, to: index)
                return await refresh(request.key, after: 0, entry, until: limit)
            case .stale(let limit) where !hasCacheBelow(0):
                note(.value, entry, from: 0, to: index, isStale: true)
                return await refresh(request.key, after: 0, entry, until: limit)
            case .missing, .invalid, .fresh, .stale, .expired, .early: break
            }
        }
        if let load = loads[Int(request.key)] { return load.requests.append(index) }
        let load = MachineLoad(request.key, request: index)
        load.looked = looked
        loads[Int(request.key)] = load
        if windows.mayServeAfterError { load.isResting = failures.pause(for: keys[Int(load.key)]) != nil }
        await proceed(load)
    }

    /// Begins to renew a copy that was served, unless that is under way.
    private func refresh(_ key: Int32, after tier: Int, _ served: Entry, until limit: Timestamp?) async {
        if isRefreshing[Int(key)] { return }
        isRefreshing[Int(key)] = true
        let load = MachineLoad(key, request: nil)
        var served = served
        served.freshUntil = limit
        load.expired = [MachineLoad.Expired(tier: tier, entry: served, since: now)]
        await proceed(load)
    }

    /// Rule 1: asks the tiers in their order, until one answers or has to be waited for.
    func proceed(_ load: MachineLoad) async {
        while load.tier < tiers.count {
            let index = load.tier
            let tier = tiers[index]
            load.hasJoined = false
            guard tier.policy.reads, tier.isCache ? !load.isRenewing(above: index) : !load.isResting && load.stale == nil else {
                load.tier += 1
                continue
            }
            if let memory = tier.memory {
                let entry = load.looked ?? (try? memory.peek(keys[Int(load.key)])) ?? nil
                load.looked = nil
                if await judge(entry, in: index, for: load) { return }
                load.tier += 1
                continue
            }
            if !tier.isCache, let read = tier.running[Int(load.key)] {
                load.hasJoined = true
                read.loads.append(load)
                return
            }
            return await begin(MachineRead(of: index, for: load, at: time.now, limit: tier.limit))
        }
        await endWithout(load)
    }

    /// Judges a cache's copy for `load`; true if it answers.
    func judge(_ entry: Entry?, in index: Int, for load: MachineLoad) async -> Bool {
        let now = now
        load.asked |= 1 << UInt64(index)
        guard var entry else {
            load.lacking |= 1 << UInt64(index)
            return false
        }
        let verdict = tiers[index].freshness.verdict(of: entry, at: now)
        if verdict.isFresh, let renewed = load.renewed {
            entry.freshUntil = verdict.freshUntil
            // Rule 7: a copy below that is no newer takes the place of none.
            guard entry.isNewer(than: renewed) else {
                load.expired.append(MachineLoad.Expired(tier: index, entry: entry, since: now))
                return false
            }
        }
        switch verdict {
        case .fresh(let limit), .notFound(let limit):
            entry.freshUntil = limit
            await store(entry, of: index, for: load)
            await end(load, entry.isNotFound ? .notFound : .value, entry, from: index)
            return true
        case .due(let limit):
            entry.freshUntil = limit
            await store(entry, of: index, for: load)
            await end(load, .value, entry, from: index, refreshing: true)
            return true
        case .stale(let limit) where load.stale == nil && !load.isRefresh:
            entry.freshUntil = limit
            load.stale = MachineLoad.Stale(tier: index, entry: entry, until: time.after(StaleWindows.patience.saturatedNanoseconds))
            guard hasCacheBelow(index) else {
                await endWithout(load)
                return true
            }
            load.expired.append(MachineLoad.Expired(tier: index, entry: entry, since: limit))
        case .expired(let since), .stale(let since):
            entry.freshUntil = since
            load.expired.append(MachineLoad.Expired(tier: index, entry: entry, since: since))
        case .missing, .invalid, .early: break
        }
        return false
    }

    /// Indicates whether a cache below may have a fresh copy where this one's is stale.
    private func hasCacheBelow(_ index: Int) -> Bool { tiers[(index + 1)...].contains { $0.isCache && $0.policy.reads } }

    /// Rule 7: no tier has answered, or none soon enough for a stale copy to wait. A copy within `stale_if_error` is served when one has failed, and for a second no origin is asked.
    func endWithout(_ load: MachineLoad) async {
        if let stale = load.stale {
            return await end(load, .value, stale.entry, from: stale.tier, isStale: true, refreshing: true)
        }
        guard !load.isRefresh, !load.isSecondTry, windows.mayServeAfterError, load.hasFailed || load.isResting else {
            return await end(load, load.hasFailed ? .failed : .notFound, nil, from: -1)
        }
        let now = now
        let copy = load.expired.filter { windows.allowAfterError($0.entry, expiredSince: $0.since, at: now) }
            .max { $0.entry.created < $1.entry.created }
        if let copy {
            if !load.isResting { failures.note(keys[Int(load.key)]) }
            await end(load, .value, copy.entry, from: copy.tier, isStale: true)
        } else if load.isResting {
            load.beginAgain()
            await proceed(load)
        } else {
            await end(load, .failed, nil, from: -1)
        }
    }

    /// Answers all requests that wait for `load`.
    func end(
        _ load: MachineLoad, _ ending: Answer.Ending, _ entry: Entry?, from tier: Int, isStale: Bool = false, refreshing: Bool = false
    ) async {
        if load.isRefresh {
            isRefreshing[Int(load.key)] = false
            return
        }
        loads[Int(load.key)] = nil
        for (number, index) in load.requests.enumerated() {
            note(ending, entry, from: tier, to: index, isStale: isStale, isJoined: number > 0 || load.hasJoined)
        }
        if refreshing, !load.sharesFailure, let entry { await refresh(load.key, after: tier, entry, until: entry.freshUntil) }
    }

    @inline(__always)
    private func note(
        _ ending: Answer.Ending, _ entry: Entry?, from tier: Int, to index: Int, isStale: Bool = false, isJoined: Bool = false
    ) {
        let request = requests[index]
        var answer = Answer(ending: ending)
        answer.latency = time.now - request.time
        if ending == .value, let entry {
            answer.tier = Int32(tier)
            answer.isStale = isStale
            answer.isJoined = isJoined
            answer.loaded = entry.created.nanoseconds - MachineTime.start
        }
        if index < record.count { record[index] = answer }
        let origin = isUnchanging ? nil : entry.flatMap { entry in tiers.firstIndex { $0.name == entry.source } }
        tally.note(answer, to: index, at: request.time, key: keys[Int(request.key)], of: origin)
    }
}
