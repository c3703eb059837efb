import Pipeline

extension Reference {
    enum Answer {
        case value(Copy)
        case stale(Copy)
        case notFound(Copy)
        case none
        case failed(isFinal: Bool)
    }

    /// What a tier, or several, came to.
    struct Reply {
        var answer: Answer
        var source: Int?
        var attempts: [(tier: Int, outcome: Attempt.Outcome)] = []
        /// Expired copies that were found on the way: the tier, the copy, when it expired.
        var expired: [(tier: Int, copy: Copy, since: Int64)] = []
        /// The tiers that have no copy.
        var lacking: Set<Int> = []
        var wantsRefresh = false
        /// Whether it failed because of the request and not of the source.
        var isRejected = false
        /// When the caller got it, where the load went on after that.
        var time: Int64?
        /// Whether the load failed that went on.
        var hasFailedLate = false
        /// Whether a stale copy waited no longer for it.
        var isCut = false

        init(_ answer: Answer, of tier: Int, _ outcome: Attempt.Outcome) {
            self.answer = answer
            source = tier
            attempts = [(tier, outcome)]
        }

        init() {
            answer = .none
        }

        /// The copy that was given, and whose it is.
        var served: (tier: Int, copy: Copy)? {
            switch answer {
            case .value(let copy), .stale(let copy): source.map { ($0, copy) }
            case .notFound, .none, .failed: nil
            }
        }

        var hasFailed: Bool { if case .failed = answer { true } else { false } }
        var goesOn: Bool {
            switch answer {
            case .none, .failed(isFinal: false): true
            default: false
            }
        }
    }

    struct Request {
        let key: Int
        let policy: FetchPolicy
        var deadline: Int64?
        /// Whether a user gives the value.
        var isPut = false
        var originsRest = false
        /// The tier of the copy that is renewed: those below may have a newer one.
        var renewed: Int?
        /// When a stale copy is served, whatever the caches below do.
        var patience: Int64?
        /// The tiers before that have no copy.
        var lacking: Set<Int> = []
        /// The tiers before that were asked: what they hold is known to be of no use.
        var asked: Set<Int> = []
        /// What the tiers before, or the one that was served before a refresh, hold of it.
        var expired: [Int: Copy] = [:]

        /// Whether what caches held before must go: a value is put, or a user asked for a newer one.
        var replaces: Bool { isPut || policy == .refresh && renewed == nil }

        /// Rule 7: whether a fresh copy is an answer. In place of a copy that is known: if it is newer, or as old and fresh for longer.
        func takes(_ copy: Copy) -> Bool {
            guard let known = renewed.flatMap({ expired[$0] }) else { return true }
            if copy.created != known.created { return copy.created > known.created }
            return !copy.isNotFound && copy.freshUntil ?? .max > known.freshUntil ?? .max
        }

        mutating func note(_ reply: Reply) {
            lacking.formUnion(reply.lacking)
            for (tier, copy, _) in reply.expired { expired[tier] = copy }
            asked.formUnion(reply.attempts.filter { $0.outcome != .skipped }.map(\.tier))
        }
    }

    /// Rule 1 and 7: the tiers in order, a stale copy when they fail; and a refresh afterwards where one is due.
    mutating func fetch(_ key: Int, _ policy: FetchPolicy) -> Observation.Fetched {
        let log = beginLog(isVisible: true)
        let request = Request(key: key, policy: policy, deadline: spec.deadline.map { now + $0.ns })
        let reply = withLastResort(loadServingStale(request, log: log), request, log: log)
        if reply.wantsRefresh {
            var refresh = Request(key: key, policy: .refresh, deadline: spec.deadline.map { now + $0.ns })
            if let (tier, copy) = reply.served { (refresh.expired[tier], refresh.renewed) = (copy, tier) }
            let log = beginLog(isVisible: false)
            _ = withLastResort(load(refresh, log: log), refresh, log: log)
        }
        return seen(reply)
    }

    /// Rule 7: what is asked when there is neither an answer nor a stale copy.
    private mutating func withLastResort(_ reply: Reply, _ request: Request, log: Int) -> Reply {
        guard reply.goesOn, !spec.lastResorts.isEmpty else { return reply }
        return load(request, after: reply, asking: spec.lastResorts, log: log)
    }

    private func seen(_ reply: Reply) -> Observation.Fetched {
        let source = reply.goesOn ? nil : reply.source.map(spec.name)
        let result: Observation.Fetched.Result =
            switch reply.answer {
            case .value(let copy): .value(copy.payload ?? "", isStale: false, source: source ?? "")
            case .stale(let copy): .value(copy.payload ?? "", isStale: true, source: source ?? "")
            case .notFound, .none: .notFound(source: source)
            case .failed: .failed
            }
        return Observation.Fetched(
            result: result, attempts: reply.attempts.map { "\(spec.name($0.tier)): \($0.outcome.rawValue)" })
    }

    /// Rule 7: `stale_if_error`, and the second in which a failed load is not tried again.
    private mutating func loadServingStale(_ request: Request, log: Int) -> Reply {
        guard let window = spec.staleIfError, request.policy == .default else { return load(request, log: log) }
        var resting = request
        resting.originsRest = rests[request.key].map { now < $0 } ?? false
        var reply = load(resting, log: log)
        var isEmpty = false
        if case .none = reply.answer { isEmpty = true }
        guard reply.hasFailed || resting.originsRest && isEmpty else { return reply }
        let time = reply.time ?? now
        let servable = reply.expired.filter { !$0.copy.isNotFound && time - $0.since < window.ns }
        guard let copy = servable.max(by: { $0.copy.created < $1.copy.created }) else {
            return resting.originsRest ? load(request, log: log) : reply
        }
        // A load that went on after a soft timeout has ended now.
        if !resting.originsRest, reply.time == nil || reply.hasFailedLate { rests[request.key] = now + 1_000.ns }
        reply.answer = .stale(copy.copy)
        reply.source = copy.tier
        reply.attempts = reply.attempts.map { $0.tier == copy.tier && $0.outcome == .expired ? ($0.tier, .stale) : $0 }
        return reply
    }

    /// Rule 1: the tiers in order, until one has an answer; then rule 3: the answer goes to the caches.
    private mutating func load(_ request: Request, log: Int) -> Reply {
        load(request, after: Reply(), asking: spec.order, log: log)
    }

    private mutating func load(_ request: Request, after reply: Reply, asking order: [Int], log: Int) -> Reply {
        var request = request
        var sum = reply
        request.note(reply)
        for tier in order {
            let yielding = timeToYield(tier, request, sum)
            let reply = ask(tier, request)
            if let yielding, yielding < now {
                // The caller went off with a stale copy; the answer is for the caches.
                if !reply.goesOn { writeBack(reply, of: tier, for: request, log: beginLog(isVisible: false)) }
                sum.answer = .failed(isFinal: true)
                sum.attempts.append((tier, .timeout))
                sum.time = yielding
                sum.hasFailedLate = reply.hasFailed
                break
            }
            var looked: [(tier: Int, outcome: Attempt.Outcome)] = []
            if case .stale(let copy) = reply.answer {
                let below = look(below: tier, insteadOf: copy, request, sum, log: log)
                if let fresh = below.fresh { return fresh }
                looked = below.attempts
            }
            let hadFailed = sum.hasFailed
            sum.answer = reply.answer
            sum.source = reply.source
            sum.wantsRefresh = reply.wantsRefresh
            sum.attempts += reply.attempts + looked
            sum.isCut = reply.isCut
            sum.expired += reply.expired
            if case .none = reply.answer, hadFailed { sum.answer = .failed(isFinal: false) }
            if !reply.goesOn {
                if request.policy != .noStore { writeBack(reply, of: tier, for: request, log: log) }
                break
            }
            sum.lacking.formUnion(reply.lacking)
            request.note(reply)
        }
        return sum
    }

    /// Rule 7: a fresh copy of the caches below wins over a stale one if it comes within 10 ms. Else the attempts say what they did.
    private mutating func look(
        below tier: Int, insteadOf copy: Copy, _ request: Request, _ sum: Reply, log: Int
    ) -> (fresh: Reply?, attempts: [(tier: Int, outcome: Attempt.Outcome)]) {
        guard let place = spec.order.firstIndex(of: tier), let limit = copy.freshUntil else { return (nil, []) }
        let caches = spec.order[(place + 1)...].filter { spec.tiers[$0].isCache && spec.tiers[$0].reads }
        var unserved = Reply(.none, of: tier, .expired)
        unserved.expired = [(tier, copy, limit)]
        var look = request
        look.note(unserved)
        (look.renewed, look.patience) = (tier, now + 10.ns)
        var before = sum
        before.attempts += unserved.attempts
        before.expired += unserved.expired
        let found = load(look, after: before, asking: caches, log: log)
        if let source = found.source, source != tier, caches.contains(source), !found.goesOn, !found.hasFailed { return (found, []) }
        return (nil, found.isCut ? [] : Array(found.attempts.dropFirst(before.attempts.count)))
    }

    /// When the caller gets a stale copy instead of waiting any longer: after the soft timeout, if there is one then.
    private func timeToYield(_ tier: Int, _ request: Request, _ sum: Reply) -> Int64? {
        guard !spec.tiers[tier].isLastResort, let limit = spec.tiers[tier].softTimeout, let window = spec.staleIfError,
            request.policy == .default
        else { return nil }
        let time = now + limit.ns
        return sum.expired.contains { !$0.copy.isNotFound && time - $0.since < window.ns } ? time : nil
    }

    /// Whether a read of a cache sees what it holds: nothing waits to be written or to be forgotten.
    func isPlain(_ key: Int, in tier: Int) -> Bool {
        tiers[tier].waiting[key] == nil && !tiers[tier].isDistrusted && !tiers[tier].distrusted.contains(key)
    }

    /// One tier with its policy. A tier that is not to be asked is no matter of its circuit, nor of its `on_error`.
    private mutating func ask(_ index: Int, _ request: Request) -> Reply {
        let tier = tiers[index].spec
        let isAbove = request.renewed.map { (spec.order.firstIndex(of: index) ?? 0) <= (spec.order.firstIndex(of: $0) ?? 0) } ?? true
        let isForbidden =
            tier.isCache
            ? request.policy == .noStore || request.policy == .refresh && isAbove : request.policy == .cacheOnly || request.originsRest
        if !tier.reads || isForbidden { return Reply(.none, of: index, .skipped) }
        var reply = tryInTime(index, request)
        if case .notFound = reply.answer, !tier.isCache, tier.onNotFound != .stop {
            reply.answer = tier.onNotFound == .next ? .none : .failed(isFinal: false)
        }
        if reply.hasFailed, tier.failsFinally { reply.answer = .failed(isFinal: true) }
        return reply
    }

    /// The timeout bounds the tier with its retries; so does what is left until the deadline. Each try is a matter of the circuit.
    private mutating func tryInTime(_ index: Int, _ request: Request) -> Reply {
        let tier = tiers[index].spec
        var end = Int64.max
        if tier.kind != .memory { end = min(now + (tier.timeout ?? 30_000).ns, request.deadline ?? .max) }
        let timeout = Reply(.failed(isFinal: false), of: index, .timeout)
        var tries = 1
        var last: Reply?
        while true {
            if tiers[index].isOpen(at: now) { return last ?? Reply(.failed(isFinal: false), of: index, .skipped) }
            tiers[index].beginUse(at: now)
            let reply = (now < end ? read(index, request, until: end) : nil) ?? timeout
            guard reply.hasFailed, !reply.isRejected else {
                tiers[index].noteSuccess(.reads)
                return reply
            }
            tiers[index].noteFailure(.reads, at: now)
            if case .open = tiers[index].circuit { return reply }
            guard now < end, let retry = tier.retry, tries < retry.attempts else { return reply }
            let pause = min(retry.base.ns << Int64(tries - 1), retry.max.ns)
            // A try that comes too late is not made.
            guard now + pause < min(end, request.deadline ?? .max) else { return reply }
            if let patience = request.patience, patience < now + pause {
                elapse(to: patience)
                var cut = Reply(.failed(isFinal: true), of: index, .timeout)
                cut.isCut = true
                return cut
            }
            elapse(to: now + pause)
            tries += 1
            last = reply
        }
    }

    /// One read, judged; nil when it did not end in time.
    private mutating func read(_ index: Int, _ request: Request, until end: Int64) -> Reply? {
        let begin = now
        if tiers[index].spec.kind == .origin {
            originCalls[index] += 1
        } else if let waiting = pending(request.key, in: index) {
            // Rule 6: a read sees what is pending.
            return judged(waiting, of: index, request)
        } else if tiers[index].isDistrusted || tiers[index].distrusted.contains(request.key) {
            guard retryRemoval(of: request.key, in: index) else { return Reply(.failed(isFinal: false), of: index, .skipped) }
        }
        let (answer, isOrigin) = (tiers[index].answer, tiers[index].spec.kind == .origin)
        let fails = tiers[index].failing.contains(.reads)
        // An origin that fails does so at once; a disk takes its time.
        let delay = fails && isOrigin ? 0 : tiers[index].delay
        guard now + delay < end else {
            elapse(to: end)
            return nil
        }
        elapse(to: now + delay)
        if fails { return Reply(.failed(isFinal: false), of: index, .error) }
        guard isOrigin else { return judged(tiers[index].copies[request.key], of: index, request) }
        switch answer {
        case .value(let value, let freshFor):
            return judged(Copy(payload: "\(value)", created: begin, freshUntil: freshFor.map { begin + $0 }), of: index, request)
        case .notFound: return judged(Copy(payload: nil, created: begin), of: index, request)
        case .miss: return judged(nil, of: index, request)
        case .error: return Reply(.failed(isFinal: false), of: index, .error)
        case .rejection:
            var reply = Reply(.failed(isFinal: false), of: index, .error)
            reply.isRejected = true
            return reply
        case .invalid: return judged(Copy(payload: Copy.invalid, created: begin), of: index, request)
        }
    }

    /// Rules 2, 7 and 11: what a copy is worth.
    private func judged(_ copy: Copy?, of index: Int, _ request: Request) -> Reply {
        let tier = tiers[index]
        guard var copy else {
            var miss = Reply(.none, of: index, .miss)
            miss.lacking = [index]
            return miss
        }
        // Bad data is invalid, fresh or not: it is never served.
        if copy.isInvalid { return Reply(.failed(isFinal: false), of: index, .invalid) }
        guard tier.spec.isCache else {
            return copy.isNotFound ? Reply(.notFound(copy), of: index, .notFound) : Reply(.value(copy), of: index, .hit)
        }
        copy.freshUntil = tier.limit(of: copy, in: spec)
        if let limit = copy.freshUntil, limit <= now {
            if !copy.isNotFound, request.policy == .default, request.renewed == nil, let window = spec.staleWhileRevalidate,
                now - limit < window.ns
            {
                var stale = Reply(.stale(copy), of: index, .stale)
                stale.wantsRefresh = true
                return stale
            }
            var expired = Reply(.none, of: index, .expired)
            expired.expired = [(index, copy, limit)]
            return expired
        }
        if !request.takes(copy) {
            var known = Reply(.none, of: index, .miss)
            known.expired = [(index, copy, now)]
            return known
        }
        if copy.isNotFound { return Reply(.notFound(copy), of: index, .notFound) }
        var hit = Reply(.value(copy), of: index, .hit)
        if request.policy == .default, let percent = spec.refreshAhead, let limit = copy.freshUntil, let stored = copy.stored {
            hit.wantsRefresh = (now - stored) * 100 >= (limit - stored) * Int64(percent)
        }
        return hit
    }
}
