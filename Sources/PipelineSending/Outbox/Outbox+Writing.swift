import Pipeline
import Synchronization

extension Outbox {
    /// A send that waits to be on the disk.
    struct Taking: Sendable {
        let row: SendRow
        let lanes: [String]
        let race: Race<TakenIn>
    }

    /// What is to be written.
    struct Writes: Sendable {
        /// The sends to take in.
        var takings: [Taking] = []
        /// The rows to write, as they are now.
        var pending: [Int64: SendRow] = [:]
        /// Those that are being written.
        var writing: [Int64: SendRow] = [:]
        /// Whether they are not only such as can wait for others: that caches have a change is noted with what comes next.
        var isUrgent = false
        /// The tries that begin when their rows are written.
        var asks: Set<Int64> = []
        var isRunning = false
        var failures = 0
        /// No write is tried before; nil if none has failed.
        var next: Timestamp?
        /// Finished when everything is on the disk, or a write has failed.
        var waiting: [Race<Void>] = []

        var isEmpty: Bool { takings.isEmpty && pending.isEmpty }

        /// The row of a number, if it is to be written.
        func row(_ number: Int64) -> SendRow? { pending[number] ?? writing[number] }

        /// The row of an id, if it is to be written.
        func row(_ id: String) -> SendRow? { pending.values.first { $0.id == id } ?? writing.values.first { $0.id == id } }

        /// Whether rows are to be written now.
        func mustWrite(at now: Timestamp) -> Bool { isUrgent && !pending.isEmpty && next.map { $0 <= now } ?? true }

        /// When a write that failed is tried again; nil if none is to be.
        mutating func wake(at now: Timestamp) -> Timestamp? {
            if let moment = next, moment <= now { next = nil }
            return pending.isEmpty ? nil : next
        }
    }

    /// The longest pause after a write that failed.
    private static let longestPause = Duration.seconds(5)

    /// Takes a send in: it is on the disk, and seen, when this returns.
    func takeIn(_ row: SendRow, lanes: Set<String>) async throws -> TakenIn {
        let race = Race<TakenIn>()
        let isOver = state.withLock { state in
            if !state.isStopping { state.writes.takings.append(Taking(row: row, lanes: lanes.sorted(), race: race)) }
            return state.isStopping
        }
        if isOver { return .refused(SendRefusal(.unavailable, "the pipelines were shut down")) }
        writeSoon()
        return try await race.value()
    }

    /// Writes what is to be written, unless a task does so already.
    func writeSoon() {
        let mustStart = state.withLock { [clock] state in
            guard !state.writes.isRunning, !state.writes.takings.isEmpty || state.writes.mustWrite(at: clock.now) else { return false }
            state.writes.isRunning = true
            return true
        }
        if mustStart { run { await self.write() } }
    }

    /// Writes until nothing is left that does not wait.
    private func write() async {
        while true {
            let (takings, rows) = state.withLock { [clock] in $0.writes.begin(at: clock.now) }
            if !takings.isEmpty { await take(takings) }
            if !rows.isEmpty { await write(rows) }
            let (isDone, waiting) = state.withLock { [clock] in $0.writes.end(at: clock.now) }
            for race in waiting { race.finish(.success(())) }
            if isDone { return tickSoon() }
        }
    }

    /// Writes also what could wait for something else to be written with, or for the pause after a write that failed.
    func writeAll() {
        state.withLock { if !$0.writes.pending.isEmpty { ($0.writes.isUrgent, $0.writes.next) = (true, nil) } }
        writeSoon()
    }

    private func take(_ takings: [Taking]) async {
        let result = await Result { try await source.takeIn(takings.map(\.row), lanes: takings.map(\.lanes)) }
        switch result {
        case .failure(let error):
            let refusal = SendRefusal(.unavailable, words(of: error))
            for taking in takings { taking.race.finish(.success(.refused(refusal))) }
        case .success(let taken):
            // Others may have taken in earlier ones of the same lanes.
            await readNews()
            var changed: Set<Key> = []
            change(telling: false) { [clock] state in
                taken.flatMap { taken -> [OutboxMachine.Step] in
                    guard case .new(let row) = taken else { return [] }
                    state.understand(row)
                    let steps = state.machine.note(row, at: state.place(of: row), now: clock.now)
                    changed.formUnion(state.effects(of: row.number).filter { $0.layer != nil }.map(\.key))
                    state.show(row)
                    return steps
                }
            }
            // In the background: the next rows are written meanwhile.
            run { [changed] in
                await self.tell(changed)
                for (taking, taken) in zip(takings, taken) { taking.race.finish(.success(taken)) }
            }
            for case .new(let row) in taken { report(row) }
        }
    }

    private func write(_ rows: [SendRow]) async {
        do {
            try await source.write(rows)
            let asks = state.withLock { state -> [SendRow] in
                (state.writes.failures, state.writes.next, state.writes.writing) = (0, nil, [:])
                return rows.filter { $0.state == .sending && state.writes.asks.remove($0.number) != nil }
            }
            for row in asks { run { await self.ask(row) } }
            for row in rows where row.state == .sent && !row.isSettled { settleSoon(row, isOurs: true) }
        } catch {
            // Those who come later have it tried again at once.
            var waiting: [Race<Void>] = []
            change { [clock] state in
                swap(&waiting, &state.writes.waiting)
                let now = clock.now
                state.writes.failures += 1
                let pause = min(Self.longestPause, .milliseconds(100) * (1 << min(state.writes.failures, 10)))
                (state.writes.next, state.writes.writing) = (now + pause, [:])
                var steps: [OutboxMachine.Step] = []
                for row in rows {
                    // A try whose row is not on the disk does not begin.
                    if state.writes.asks.remove(row.number) != nil {
                        steps += state.machine.unbegin(row.number, until: now + pause)
                    } else if state.writes.pending[row.number] == nil {
                        state.writes.pending[row.number] = row
                    }
                }
                state.writes.isUrgent = true
                return steps
            }
            let refusal = SendRefusal(.unavailable, "the outbox cannot be written now: \(words(of: error))")
            for race in waiting { race.finish(.failure(SendError.refused(refusal))) }
        }
    }
}

extension Outbox.Writes {
    /// What is to be written now.
    fileprivate mutating func begin(at now: Timestamp) -> ([Outbox.Taking], [SendRow]) {
        defer { takings = [] }
        guard mustWrite(at: now) else { return (takings, []) }
        defer { (writing, pending, isUrgent) = (pending, [:], false) }
        return (takings, pending.values.sorted { $0.number < $1.number })
    }

    /// Whether nothing is left that is to be written now, and those who wait for that.
    fileprivate mutating func end(at now: Timestamp) -> (isDone: Bool, [Race<Void>]) {
        isRunning = !takings.isEmpty || mustWrite(at: now)
        guard !isRunning, pending.isEmpty else { return (!isRunning, []) }
        defer { waiting = [] }
        return (true, waiting)
    }
}
