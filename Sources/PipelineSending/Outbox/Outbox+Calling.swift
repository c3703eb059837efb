import Pipeline
internal import PipelineJSON
import PipelineLive
import Synchronization

extension Outbox {
    /// Takes in a send.
    func send(
        _ kind: DeclaredSend, _ arguments: [String: String], _ payload: [UInt8], id: String?, priority: Priority?
    ) async throws -> SentSend {
        let arguments = try kind.complete(arguments)
        if let id, !SendRow.isID(id) { throw SendError.unfit("an id has 1 to 255 visible ASCII characters, and no spaces") }
        if !payload.isEmpty, let problem = kind.spec.format.problem(of: payload) { throw SendError.unfit("the payload is \(problem)") }
        if payload.count > source.bounds.maxSize.bytes {
            throw SendError.refused(
                SendRefusal(.tooLarge, "the payload is larger than max_size of the outbox (\(source.bounds.maxSize.words))"))
        }
        try await open()
        let now = clock.now
        var row = SendRow(
            id: id ?? UniqueID.next(at: clock.wallNow, commons.random), name: kind.spec.name, arguments: arguments, payload: payload,
            owner: source.bounds.owner, taken: now)
        row.priority = priority
        try await fillKnownIDs(&row, kind)
        let understood = try understand(row, kind)
        row.tag = await tag(of: understood.effects.first, kind)
        // Also if the caller does not wait for the end of this.
        startSending()
        switch try await takeIn(row, lanes: understood.place.lanes) {
        case .new(let row): return SentSend(first: SendStatus(row), wasKnown: false, outbox: self)
        case .known(let row): return SentSend(first: SendStatus(state.withLock { $0.present(row) }), wasKnown: true, outbox: self)
        case .refused(let refusal): throw SendError.refused(refusal)
        }
    }

    private func understand(_ row: SendRow, _ kind: DeclaredSend) throws(SendError) -> DeclaredSend.Understood {
        do {
            return try kind.understand(row)
        } catch {
            throw SendError.unfit(error.reason)
        }
    }

    /// Puts the ids of what earlier sends have made in the place of their temporary ones.
    private func fillKnownIDs(_ row: inout SendRow, _ kind: DeclaredSend) async throws {
        for temporary in TemporaryID.all(in: row.arguments, kind.spec.format == .json ? row.payload : []).sorted() {
            let id = String(temporary.dropFirst())
            if state.withLock({ $0.machine.row(id) })?.state.isDone == false { continue }
            guard let made = try await diskRow(id) else { continue }
            switch made.state {
            case .sent: if let id = made.madeID { row.replace(temporary, by: id, in: kind.spec.format) }
            case .failed, .dropped, .merged:
                throw SendError.unfit("it needs \(temporary), which \(made.state == .failed ? "failed" : "was \(made.state.rawValue)")")
            case .waiting, .sending, .held: break
            }
        }
    }

    /// The tag of the base that a send is conditional on; nil if there is none.
    private func tag(of effect: KeyEffect?, _ kind: DeclaredSend) async -> String? {
        guard kind.spec.condition != .none, let effect, let pipeline = kind.pipeline(of: effect) else { return nil }
        guard let changed = laid.changed(effect.key) ?? pipeline.changed(effect.key) else { return nil }
        await changed.awaitBase()
        return kind.tag(in: changed.base, of: effect)
    }

    /// The row of an id, as it is now; nil if there is none.
    func row(_ id: String) async throws(SendError) -> SendRow? {
        // What another process does with it is on the disk.
        let (row, isDelivering) = state.withLock { ($0.known(id: id), $0.machine.isDelivering) }
        if let row, isDelivering || row.holder == source.holder { return row }
        return try await diskRow(id) ?? row
    }

    /// The row of an id once no other process tries it.
    private func restingRow(_ id: String) async throws -> SendRow? {
        let begin = clock.now
        while true {
            // What the machine knows must be what the disk has.
            await readNews()
            let known = state.withLock { $0.machine.row(id) }
            guard let row = if let known { known } else { try await diskRow(id) } else { return nil }
            guard row.state == .sending, row.holder != source.holder else { return row }
            if await isAbandoned(row, since: begin) {
                change { [clock] state in state.machine.recover(row.number, at: clock.now) }
                return row
            }
            try await clock.sleep(until: clock.now + Self.newsTime / 2)
        }
    }

    private func diskRow(_ id: String) async throws(SendError) -> SendRow? {
        do {
            return try await source.row(id)
        } catch {
            throw .refused(SendRefusal(.unavailable, words(of: error)))
        }
    }

    /// The sends of these states, by number.
    func list(_ states: Set<SendState>) async throws(SendError) -> [SendStatus] {
        try await open()
        let rows: [SendRow]
        do {
            rows = try await source.rows(states, most: 100_000)
        } catch {
            throw .refused(SendRefusal(.unavailable, words(of: error)))
        }
        var ended: Set<String> = []
        for holder in Set(rows.compactMap { $0.next == nil ? nil : $0.holder }) {
            if await source.hasEnded(holder) { ended.insert(holder) }
        }
        return state.withLock { [clock, ended] in $0.statuses(of: rows, without: ended, at: clock.now) }
    }

    func retry(_ id: String) async throws(SendError) {
        guard let row = try await row(id) else { throw .unknownID(id) }
        let refusal = changeOrRefuse { [clock] state throws(OutboxMachine.Refusal) in
            // As it will be: of one that is done nothing is kept.
            var again = row
            again.state = .waiting
            let place = state.place(of: again)
            // A person who asks for it does not want to wait for a rest.
            if let place { state.machine.endRest(of: place.target) }
            return try state.machine.retry(row, at: place, now: clock.now)
        }
        if let refusal { throw SendError.unfit(refusal.reason) }
        startSending()
        try await written()
    }

    func drop(_ id: String) async throws -> SendStatus {
        while true {
            guard let row = try await restingRow(id) else { throw SendError.unknownID(id) }
            var mustWait = false
            let refusal = changeOrRefuse { [clock] state throws(OutboxMachine.Refusal) in
                guard let steps = try state.machine.drop(row, at: clock.now) else {
                    mustWait = true
                    return []
                }
                return steps
            }
            if let refusal { throw SendError.unfit(refusal.reason) }
            if mustWait { for await status in statuses(of: SendStatus(row)) where status.state.isDone { return status } }
            try await written()
            let kept = try await self.row(id) ?? row
            if kept.state.isDone { return SendStatus(kept) }
            // Another process has begun a try before this one had written.
        }
    }

    /// Changes the machine unless that refuses.
    private func changeOrRefuse(
        _ body: (inout State) throws(OutboxMachine.Refusal) -> [OutboxMachine.Step]
    ) -> OutboxMachine.Refusal? {
        var refusal: OutboxMachine.Refusal?
        change { state in
            do throws(OutboxMachine.Refusal) {
                return try body(&state)
            } catch {
                refusal = error
                return []
            }
        }
        return refusal
    }

    /// Waits until everything that was to be written is. Throws if it cannot be written now: it is tried again as long as the process lives.
    private func written() async throws(SendError) {
        let race = state.withLock { state -> Race<Void>? in
            if state.writes.pending.isEmpty, !state.writes.isRunning { return nil }
            let race = Race<Void>()
            state.writes.waiting.append(race)
            return race
        }
        writeAll()
        do {
            try await race?.value()
        } catch let error as SendError {
            throw error
        } catch {}
    }

    /// Delivers until nothing waits. Returns how many do at `end`.
    ///
    /// - Parameter ends: whether pauses and quiet times end at once.
    func flush(until end: Timestamp, endingPauses ends: Bool) async throws(SendError) -> Int {
        try await open()
        if ends { endPauses() }
        startSending()
        _ = try? await clock.race(until: end, late: {}) {
            for await _ in self.watchers.changes() where self.waitingCount == 0 { return }
        }
        try? await written()
        return waitingCount
    }

    /// How many sends wait or are being sent.
    var waitingCount: Int { state.withLock { $0.machine.rows.count { $0.state == .waiting || $0.state == .sending } } }
}

/// Makes ids of sends: UUIDs of version 7 (RFC 9562, section 5.7), which begin with the time.
enum UniqueID {
    static func next(at wall: Timestamp, _ random: RandomGenerator) -> String {
        let milliseconds = UInt64(clamping: wall.nanoseconds / 1_000_000)
        let high = milliseconds << 16 | 0x7000 | random.next() & 0x0FFF
        let low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let digits = [high, low].map { word in
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
        var (id, index) = ("", 0)
        for digit in digits {
            if [8, 12, 16, 20].contains(index) { id += "-" }
            id.append(digit)
            index += 1
        }
        return id
    }
}
