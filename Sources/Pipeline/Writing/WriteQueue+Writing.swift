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
        let (writers, keys, waiting) = state.withLock { state in
            state.isStopped = true
            state.lastStopped = state.lastWriter
            state.dues = DueHeap()
            state.alarm.cancel(on: clock)
            return (state.writers.values.compactMap(\.self), state.ready.removeAll(), Array(state.lanes.keys))
        }
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
        var endings: [WriteLane.Ending] = []
        for (turn, carried) in zip(turns, await inTime(turns, carryOutUnlimited)) {
            endings.append(carried.ending)
            if carried.leavesOlder { await removeOlder(turn) }
        }
        return endings
    }

    private func carryOut(_ turn: Turn) async -> WriteLane.Ending {
        let carried = await carryOutUnlimited(turn)
        if carried.leavesOlder { await removeOlder(turn) }
        return carried.ending
    }

    /// What came of an operation.
    private struct Carried {
        var ending: WriteLane.Ending
        /// Whether the source may still hold an older value, in the place of one that could not be written.
        var leavesOlder = false
    }

    /// A value that was to take the place of older ones was not written: the copy that the source holds goes, or the next process would serve
    /// it. Where that fails, too, this process does not read it any more.
    private func removeOlder(_ turn: Turn) async {
        let removal = (WriteLane.Operation(change: .remove).within(turn.operation.limit), turn.key)
        let endings = await inTime([removal]) { _ in [Carried(ending: await self.forget(turn.key))] }
        if case .failed = endings[0].ending { failedRemovals.insert(turn.key) } else { failedRemovals.remove(turn.key) }
    }

    /// Has the source forget `key`, unless it holds nothing.
    private func forget(_ key: Key) async -> WriteLane.Ending {
        do {
            try await source.remove(key)
            return .done
        } catch {
            do {
                return try await source.read(key) == nil ? .unchanged : Self.ending(after: error)
            } catch {
                return Self.ending(after: error)
            }
        }
    }

    /// Cancels `body` when the first limit of the operations is over.
    private func inTime(_ turns: [Turn], _ body: @escaping @Sendable ([Turn]) async -> [Carried]) async -> [Carried] {
        guard let limit = turns.compactMap(\.operation.limit).min() else { return await body(turns) }
        // Ends with the writes; cancelled at the limit, and with the writer. It is awaited to its end, since it reports what was written.
        let work = Task { await body(turns) }
        let alarm = clock.alarms.set(at: clock.now + limit) { work.cancel() }
        let results = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        clock.alarms.cancel(alarm)
        let isLate = work.isCancelled && !Task.isCancelled
        return results.map { carried in
            guard isLate, case .failed(let error) = carried.ending, error is CancellationError else { return carried }
            let late = SourceError("not written within \(limit.spelling)", kind: .timeout)
            return Carried(ending: .failed(late), leavesOlder: carried.leavesOlder)
        }
    }

    private func carryOutUnlimited(_ turns: [Turn]) async -> [Carried] {
        if turns.count == 1, let turn = turns.first { return [await carryOutUnlimited(turn)] }
        var endings: [WriteLane.Ending?] = []
        var entries: [ComparingSource.Loaded] = []
        for turn in turns {
            let ending = await spare(turn.operation)
            endings.append(ending)
            if ending == nil, case .write(let entry) = turn.operation.change {
                entries.append((entry, turn.key, turn.operation.permit?.begin))
            }
        }
        var results = entries.isEmpty ? [][...] : await write(entries)[...]
        return zip(turns, endings).map { turn, ending in
            ending.map { Carried(ending: $0) } ?? Self.carried(turn.operation, results.popFirst() ?? .success(true))
        }
    }

    private func write(_ entries: [ComparingSource.Loaded]) async -> [Result<Bool, any Error>] {
        if let comparing { return await comparing.write(entries) }
        return await source.write(entries.map { ($0.entry, $0.key) }).map { $0.map(Result.failure) ?? .success(true) }
    }

    private func carryOutUnlimited(_ turn: Turn) async -> Carried {
        if let ending = await spare(turn.operation) { return Carried(ending: ending) }
        do {
            switch turn.operation.change {
            case .write(let entry):
                if comparing != nil {
                    return Self.carried(turn.operation, await write([(entry, turn.key, turn.operation.permit?.begin)])[0])
                }
                try await source.write(entry, for: turn.key)
            case .remove: try await source.remove(turn.key)
            }
            return Carried(ending: .done)
        } catch {
            return Self.carried(turn.operation, .failure(error))
        }
    }

    private static func carried(_ operation: WriteLane.Operation, _ result: Result<Bool, any Error>) -> Carried {
        let ending: WriteLane.Ending =
            switch result {
            case .success(let isStored): isStored ? .done : .superseded
            case .failure(let error): ending(after: error)
            }
        guard case .failed = ending else { return Carried(ending: ending) }
        return Carried(ending: ending, leavesOlder: operation.leavesNoOlder && !operation.isRemoval)
    }

    /// Replaces the whole operation by less where that is enough; nil when all of it must be done.
    private func spare(_ operation: WriteLane.Operation) async -> WriteLane.Ending? {
        guard operation.isCurrent else { return .outdated }
        guard let sparing = operation.sparing else { return nil }
        do {
            if let ending = try await sparing(operation.entry) { return ending }
        } catch {
            // A copy that cannot be marked is removed.
            if !operation.isRemoval { return Self.ending(after: error) }
        }
        // The key may have been removed while the source was read.
        return operation.isCurrent ? nil : .outdated
    }

    private static func ending(after failure: any Error) -> WriteLane.Ending {
        if let error = failure as? SourceError, error.kind == .notKept { .notKept(error.reason) } else { .failed(failure) }
    }
}
