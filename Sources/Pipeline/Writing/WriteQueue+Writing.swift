import Synchronization

extension WriteQueue {
    /// An operation whose turn it is.
    typealias Turn = (operation: WriteLane.Operation, key: Key)

    /// The most bytes that are handed to a source at once.
    private static let mostBytes = 4 << 20

    /// How many writers there are at most. A source that takes many entries at once needs few, and gets the more at once.
    private var width: Int { most > 1 ? 8 : 64 }

    /// Has writers carry out the operations that run for `keys`.
    func startWriting(_ keys: [Key]) {
        let numbers = state.withLock { state -> [UInt64] in
            for key in keys { state.ready.append(key) }
            let count = min((keys.count + most - 1) / most, width - state.writers.count)
            return (0..<max(0, count)).map { _ in
                state.lastWriter += 1
                state.writers.updateValue(nil, forKey: state.lastWriter)
                return state.lastWriter
            }
        }
        for number in numbers {
            // Ends when nothing is ready; cancelled in ``stopWriting()``.
            let writer = Task { await self.write(as: number) }
            adopt(writer, as: number)
        }
    }

    /// Keeps a writer that has begun, so that ``stopWriting()`` cancels it; cancels it where that has been called since it was given its number.
    func adopt(_ writer: Task<Void, Never>, as number: UInt64) {
        let isLate = state.withLock { state in
            // It may have ended.
            if state.writers.keys.contains(number) { state.writers.updateValue(writer, forKey: number) }
            return number <= state.lastStopped
        }
        if isLate { writer.cancel() }
    }

    /// Cancels what is being written, as far as the source allows. What waits is no longer written.
    func stopWriting() {
        let (writers, keys, waiting, alarm) = state.withLock { state in
            state.isStopped = true
            state.lastStopped = state.lastWriter
            state.dues = DueKeys()
            defer { (state.alarm, state.alarmMoment) = (nil, nil) }
            return (state.writers.values.compactMap(\.self), state.ready.removeAll(), Array(state.lanes.keys), state.alarm)
        }
        if let alarm { clock.alarms.cancel(alarm) }
        for writer in writers { writer.cancel() }
        change(waiting) { $0.dropWaitingWrite(.abandoned) }
        for key in keys {
            guard let operation = state.withLock({ $0.lanes[key]?.runningOperation }) else { continue }
            end(operation, .abandoned, for: key)
        }
    }

    /// Carries out what is ready, until nothing is.
    private func write(as number: UInt64) async {
        while let turns = nextTurns(of: number) {
            let endings = await carryOut(turns)
            for (turn, ending) in zip(turns, endings) { end(turn.operation, ending, for: turn.key) }
        }
    }

    /// The operations to carry out next: as many writes as the source takes at once, or a removal. Nil when nothing is ready; the writer of
    /// this number then ends.
    private func nextTurns(of number: UInt64) -> [Turn]? {
        state.withLock { state in
            var turns: [Turn] = []
            var bytes = 0
            while turns.count < most, bytes < Self.mostBytes, let key = state.ready.next {
                guard let operation = state.lanes[key]?.runningOperation else {
                    state.ready.removeFirst()
                    continue
                }
                if operation.isRemoval, !turns.isEmpty { break }
                state.ready.removeFirst()
                turns.append((operation, key))
                bytes += operation.bytes
                if operation.isRemoval { break }
            }
            guard turns.isEmpty else { return turns }
            state.writers.removeValue(forKey: number)
            return nil
        }
    }

    /// Makes a change in the caller's task.
    func run(_ operation: WriteLane.Operation, for key: Key) async {
        end(operation, await carryOut((operation, key)), for: key)
    }

    private func carryOut(_ turns: [Turn]) async -> [WriteLane.Ending] {
        guard let limit = turns.compactMap(\.operation.limit).min() else { return await carryOutUnlimited(turns) }
        // Ends with the writes; cancelled at the limit, and with the writer. It is awaited to its end, since it reports what was written.
        let work = Task { await carryOutUnlimited(turns) }
        let alarm = clock.alarms.set(at: clock.now + limit) { work.cancel() }
        let endings = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        clock.alarms.cancel(alarm)
        let isLate = work.isCancelled && !Task.isCancelled
        return endings.map { ending in
            guard isLate, case .failed(let error) = ending, error is CancellationError else { return ending }
            return .failed(SourceError("not written within \(limit.spelling)", kind: .timeout))
        }
    }

    private func carryOutUnlimited(_ turns: [Turn]) async -> [WriteLane.Ending] {
        if turns.count == 1, let turn = turns.first { return [await carryOut(turn)] }
        var endings: [WriteLane.Ending?] = []
        var entries: [(entry: Entry, key: Key)] = []
        for turn in turns {
            let ending = await spare(turn.operation)
            endings.append(ending)
            if ending == nil, case .write(let entry) = turn.operation.change { entries.append((entry, turn.key)) }
        }
        var failures = entries.isEmpty ? [][...] : await source.write(entries)[...]
        return endings.map { $0 ?? Self.ending(after: failures.popFirst() ?? nil) }
    }

    private func carryOut(_ turn: Turn) async -> WriteLane.Ending {
        do {
            switch turn.operation.change {
            case .write(let entry):
                if let ending = await spare(turn.operation) { return ending }
                try await source.write(entry, for: turn.key)
            case .remove:
                if let ending = await spare(turn.operation) { return ending }
                try await source.remove(turn.key)
            }
            return .done
        } catch {
            return Self.ending(after: error)
        }
    }

    /// Replaces the whole operation by less where that is enough; nil when all of it must be done.
    private func spare(_ operation: WriteLane.Operation) async -> WriteLane.Ending? {
        guard operation.isCurrent else { return .outdated }
        guard let sparing = operation.sparing else { return nil }
        do {
            if let ending = try await sparing(operation.entry) { return ending }
        } catch {
            return Self.ending(after: error)
        }
        // The key may have been removed while the source was read.
        return operation.isCurrent ? nil : .outdated
    }

    private static func ending(after failure: (any Error)?) -> WriteLane.Ending {
        switch failure {
        case nil: .done
        case let error as SourceError where error.kind == .notKept: .notKept(error.reason)
        case let error?: .failed(error)
        }
    }
}
