import Pipeline
import Synchronization

extension Outbox {
    /// How long a lease lasts; it is renewed at each third.
    static let leaseTime = Duration.seconds(5)
    /// How often the database is asked for what others have changed.
    static let newsTime = Duration.milliseconds(500)
    /// How often rows are removed that are done for long.
    static let cleaningTime = Duration.seconds(3_600)

    /// The most bytes that are kept of the words of a refusal.
    private static let mostDetail = 4_096

    /// When something is to be done.
    struct Ticking: Sendable {
        var alarm = AlarmSlot()
        var isRunning = false
        var isAskedAgain = false
        var newsNext: Timestamp?
        var cleaningNext: Timestamp?
    }

    /// A try of another process.
    struct SeenTry: Hashable, Sendable {
        let number: Int64
        let tries: Int
    }

    /// The right to deliver.
    struct Leasing: Sendable {
        var isWanted = false
        var next: Timestamp?
        /// When it ends unless it is renewed; nil without it.
        var end: Timestamp?
        /// Since when a try of another process is seen, by the number of the send and of the try.
        var seen: [SeenTry: Timestamp] = [:]
    }

    /// Delivers from now on, if no other process does.
    func startSending() {
        state.withLock { state in
            state.lease.isWanted = true
            state.lease.next = nil
        }
        tickSoon()
    }

    /// Ends pauses: a person asks for it, or the network has changed.
    func endPauses() {
        change { state in
            state.machine.endPauses()
            return []
        }
        tickSoon()
    }

    /// Does what is to be done by now, soon and in the background.
    func tickSoon() {
        let mustStart = state.withLock { state -> Bool in
            guard case .open = state.opening else { return false }
            state.ticking.isAskedAgain = true
            defer { state.ticking.isRunning = true }
            return !state.ticking.isRunning
        }
        if mustStart { run { await self.tick() } }
    }

    private func tick() async {
        while state.withLock({ $0.ticking.beginRound() }) {
            await takeNews()
            await renewLease()
            await recover()
            await forgetOld()
            var wake: Timestamp?
            change { [clock] state in
                if state.isStopping { return [] }
                let (steps, next) = state.machine.advance(at: clock.now)
                wake = next
                return steps
            }
            writeSoon()
            state.withLock { [clock, source, wake] state in
                let write = state.writes.wake(at: clock.now)
                // With what waits for something else to be written with, if there is no news.
                let news = source.isShared || !state.writes.pending.isEmpty ? state.ticking.newsNext : nil
                let next = [wake, news, write, state.lease.isWanted ? state.lease.next : nil]
                state.ticking.alarm.set(at: state.isStopping ? write : next.compactMap(\.self).min(), on: clock) { [weak self] moment in
                    self?.state.withLock { $0.ticking.alarm.end(moment) }
                    self?.tickSoon()
                }
            }
        }
    }

    private func takeNews() async {
        let isDue = state.withLock { [clock] state in
            let now = clock.now
            if let next = state.ticking.newsNext, next > now { return false }
            state.ticking.newsNext = now + Self.newsTime
            if !state.writes.pending.isEmpty { state.writes.isUrgent = true }
            return true
        }
        if isDue { await readNews() }
    }

    /// Removes rows that have been done for long, once in a while.
    private func forgetOld() async {
        let now = clock.now
        let isDue = state.withLock { state in
            guard state.machine.isDelivering, state.ticking.cleaningNext.map({ $0 <= now }) ?? true else { return false }
            state.ticking.cleaningNext = now + Self.cleaningTime
            return true
        }
        if isDue { try? await source.forgetOld(at: now) }
    }

    private func renewLease() async {
        let isDue = state.withLock { [clock] state in
            guard state.lease.isWanted, !state.isStopping else { return false }
            let now = clock.now
            if let next = state.lease.next, next > now { return false }
            state.lease.next = now + Self.leaseTime / 3
            return true
        }
        guard isDue else { return }
        // A lease that cannot be renewed is lost: no try begins.
        let end = clock.now + Self.leaseTime
        let isOurs = (try? await source.lease(source.holder, until: end)) ?? false
        state.withLock { [source] state in
            state.machine.isDelivering = isOurs && !state.isStopping
            state.lease.end = isOurs ? end : nil
            // Nobody else takes it.
            if isOurs, !source.isShared { (state.lease.isWanted, state.lease.end) = (false, .distantFuture) }
        }
    }

    /// Looks at rows that another process was trying, if this one delivers now.
    private func recover() async {
        let now = clock.now
        let rows = state.withLock { state -> [(SendRow, since: Timestamp)] in
            let rows = state.machine.isDelivering ? state.machine.triedElsewhere : []
            let tries = rows.map { SeenTry(number: $0.number, tries: $0.tries) }
            state.lease.seen = Dictionary(uniqueKeysWithValues: tries.map { ($0, state.lease.seen[$0] ?? now) })
            return zip(rows, tries).map { ($0, state.lease.seen[$1] ?? now) }
        }
        for (row, since) in rows {
            guard row.holder == source.holder ? true : await isAbandoned(row, since: since) else { continue }
            change { state in state.machine.recover(row.number, at: now) }
        }
    }

    /// Indicates whether nobody tries a row any more that another process was trying at `moment`, or before.
    func isAbandoned(_ row: SendRow, since moment: Timestamp) async -> Bool {
        let longest = state.withLock { $0.declared[row.name]?.target.longestTry } ?? .seconds(30)
        guard let holder = row.holder, clock.now < moment + longest + Self.leaseTime else { return true }
        return await source.hasEnded(holder)
    }

    /// Asks the origin to make a send.
    func ask(_ row: SendRow) async {
        let (declared, mayAsk) = state.withLock { [clock] state in
            (state.declared[row.name], !state.isStopping && state.lease.end.map { $0 > clock.now } ?? false)
        }
        guard let declared, mayAsk else {
            // Another process may try it by now, or nobody is to.
            return change { [clock] state in state.machine.unbegin(row.number, until: clock.now) }
        }
        let result: TryResult
        do {
            let priority = row.priority ?? declared.rules.priority
            let answer = try await declared.target.send(declared.outgoing(row), ReadContext(load: LoadPriority(priority)))
            var made = declared.made(by: answer)
            // Masked before it is cut: no part of a secret is left.
            made.detail = made.detail.map { String(decoding: commons.redactor.redacted($0).utf8.prefix(Self.mostDetail), as: UTF8.self) }
            result = .answered(answer, made: made)
        } catch {
            let words = words(of: error)
            result = (error as? SourceError)?.saysThatNothingWasSent ?? false ? .unprocessed(words) : .uncertain(words)
        }
        change { [clock] state in
            let steps = state.machine.ended(row.number, result, at: clock.now)
            // The next one of the lane is marked in the same write.
            return steps + (state.isStopping ? [] : state.machine.advance(at: clock.now).steps)
        }
    }

    /// Ends, since the file names this outbox no more: what it laid over values is taken away.
    func leave() async {
        await stop()
        let keys = state.withLock { state in
            defer { (state.known, state.changing) = ([:], [:]) }
            return Set(state.changing.keys)
        }
        layAgain(keys)
    }

    /// Begins nothing more, waits for what is under way, and gives the lease back.
    func stop() async {
        let race = state.withLock { state -> Race<Void>? in
            state.isStopping = true
            state.machine.isDelivering = false
            state.ticking.alarm.cancel(on: clock)
            if state.isIdle { return nil }
            let race = Race<Void>()
            state.idle.append(race)
            return race
        }
        writeAll()
        try? await race?.value()
        await source.release(source.holder)
        state.withLock { state in
            for task in state.errands.values { task.cancel() }
        }
        watchers.end()
    }
}

extension Outbox.Ticking {
    /// Whether another round is to be made.
    fileprivate mutating func beginRound() -> Bool {
        defer { (isRunning, isAskedAgain) = (isAskedAgain, false) }
        return isAskedAgain
    }
}
