import Pipeline
import Synchronization

extension Outbox {
    /// The longest pause after a write that failed.
    private static let longestPause = Duration.seconds(5)

    /// Takes a send in: it is on the disk, and seen, when this returns.
    func takeIn(_ row: SendRow, lanes: Set<String>) async throws -> TakenIn {
        let race = Race<TakenIn>()
        let isOver = state.withLock { state in
            if !state.isStopping { state.takings.append(Taking(row: row, lanes: lanes.sorted(), race: race)) }
            return state.isStopping
        }
        if isOver { return .refused("the pipelines were shut down") }
        writeSoon()
        return try await race.value()
    }

    /// Writes what is to be written, unless a task does so already.
    func writeSoon() {
        let mustStart = state.withLock { [clock] state in
            guard !state.isWriting, !state.takings.isEmpty || state.mustWrite(at: clock.now) else { return false }
            state.isWriting = true
            return true
        }
        if mustStart { run { await self.write() } }
    }

    /// Writes until nothing is left that does not wait.
    private func write() async {
        while true {
            let (takings, rows) = state.withLock { [clock] state -> ([Taking], [SendRow]) in
                defer { state.takings = [] }
                guard state.mustWrite(at: clock.now) else { return (state.takings, []) }
                defer { (state.writing, state.pending, state.isUrgent) = (state.pending, [:], false) }
                return (state.takings, state.pending.values.sorted { $0.number < $1.number })
            }
            if !takings.isEmpty { await take(takings) }
            if !rows.isEmpty { await write(rows) }
            let (isDone, written) = state.withLock { [clock] state -> (Bool, [Race<Void>]) in
                let isDone = state.takings.isEmpty && !state.mustWrite(at: clock.now)
                if isDone { state.isWriting = false }
                guard isDone, state.pending.isEmpty else { return (isDone, []) }
                defer { state.written = [] }
                return (true, state.written)
            }
            for race in written { race.finish(.success(())) }
            if isDone { return tickSoon() }
        }
    }

    /// Writes also what could wait for something else to be written with.
    func writeAll() {
        state.withLock { if !$0.pending.isEmpty { $0.isUrgent = true } }
        writeSoon()
    }

    private func take(_ takings: [Taking]) async {
        let result = await Result { try await source.takeIn(takings.map(\.row), lanes: takings.map(\.lanes)) }
        switch result {
        case .failure(let error):
            let words = words(of: error)
            for taking in takings { taking.race.finish(.success(.refused(words))) }
        case .success(let taken):
            // Others may have taken in earlier ones of the same lanes.
            if let news = try? await source.news(since: state.withLock(\.mark)) { take(news) }
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
                (state.writeFailures, state.ticking.writeNext, state.writing) = (0, nil, [:])
                return rows.filter { $0.state == .sending && state.asks.remove($0.number) != nil }
            }
            for row in asks { run { await self.ask(row) } }
            for row in rows where row.state == .sent && !row.isSettled { settleSoon(row, isOurs: true) }
        } catch {
            change { [clock] state in
                let now = clock.now
                state.writeFailures += 1
                let pause = min(Self.longestPause, .milliseconds(100) * (1 << min(state.writeFailures, 10)))
                (state.ticking.writeNext, state.writing) = (now + pause, [:])
                var steps: [OutboxMachine.Step] = []
                for row in rows {
                    // A try whose row is not on the disk does not begin.
                    if state.asks.remove(row.number) != nil {
                        steps += state.machine.unbegin(row.number, until: now + pause)
                    } else if state.pending[row.number] == nil {
                        state.pending[row.number] = row
                    }
                }
                state.isUrgent = true
                return steps
            }
        }
    }
}
