/// The writes of one key to one cache: one at a time, in order, the last value only, after a quiet time where that is asked for.
///
/// A pure state machine: it says what to do, and ``WriteQueue`` does it.
struct WriteLane: Sendable {
    private struct Waiting {
        var operation: Operation
        var due: Timestamp
        /// When the first value of this wait came: the longest delay counts from it.
        var since: Timestamp
        var failures = 0
        /// Whether reads see it before it is made.
        var isSeen: Bool
        /// Operations that are made by making this one.
        var joined: [Operation] = []
        /// What other processes are told when this has ended.
        var telling: Telling?

        init(_ operation: Operation, due: Timestamp, since: Timestamp) {
            self.operation = operation
            self.due = due
            self.since = since
            isSeen = operation.isSeen
        }

        mutating func follow(with more: Telling) {
            if telling == nil { telling = more } else { telling?.join(more) }
        }
    }

    /// When the timer that was asked for last fires; nil when none is under way.
    private var timer: Timestamp?
    private var running: Waiting?
    private var removal: Waiting?
    private var write: Waiting?
    private var begunWrites = 0
    private var endedWrites = 0
    /// Endings and tellings that were given out and that nobody has been told yet.
    private var untold = 0
    /// Whether other processes are being told of the key.
    private var isTelling = false
    /// What they are told next.
    private var nextTelling: Telling?

    /// Whether nothing runs or waits.
    var isEmpty: Bool { running == nil && removal == nil && write == nil }

    /// Whether there is nothing to keep in mind: nothing runs or waits, and everybody has been told.
    var isIdle: Bool { isEmpty && untold == 0 && !isTelling }

    /// Whether an operation runs.
    var isRunning: Bool { running != nil }

    /// Whether there is nothing to wait for: idle, or failed and put off, and whoever asked for what ended knows how.
    var isSettled: Bool {
        running == nil && removal == nil && untold == 0 && write.map { $0.failures > 0 } ?? true
    }

    /// Whether a write runs.
    var isWriting: Bool { running.map { !$0.operation.isRemoval } ?? false }

    /// Tells of this lane, as it is later, whether the write that came last has ended: itself, or one that took its place, or it is put
    /// off because it failed.
    var endOfLastWrite: @Sendable (WriteLane) -> Bool {
        let number = begunWrites + (write == nil ? 0 : 1)
        return { $0.isSettled || $0.endedWrites >= number }
    }

    /// What a read of this cache sees instead of what it holds: a value that is not written yet, where it is debounced or was put, or a
    /// removal.
    ///
    /// A value that was removed or replaced since it was loaded is not seen.
    var pending: Operation.Change? {
        if let write, write.isSeen, write.operation.isCurrent { return write.operation.change }
        if removal != nil { return .remove }
        if let running, running.isSeen, running.operation.isCurrent { return running.operation.change }
        return nil
    }

    /// The bytes that wait to be written.
    var waitingBytes: Int { write?.operation.bytes ?? 0 }

    /// Takes a change.
    mutating func add(_ operation: Operation, at now: Timestamp) -> [Action] {
        let replaced = write
        var actions = dropped(replaced, .superseded)
        switch operation.change {
        case .remove:
            write = nil
            if removal == nil {
                removal = Waiting(operation, due: now, since: now)
            } else {
                // Who asked for a removal that waits already is told when it is made, not before.
                removal?.joined.append(operation)
            }
        case .write:
            let since = replaced?.since ?? now
            let due = operation.debounce.map { min(now + $0, since + operation.maxDelay) } ?? now
            write = Waiting(operation, due: due, since: since)
            // What the cache holds stays older than what was put.
            if replaced?.isSeen == true { write?.isSeen = true }
        }
        actions += passOn(replaced?.telling)
        return actions + next(at: now)
    }

    /// Has other processes told when the change that came last has ended for good, or one that took its place; at once when there is none.
    mutating func follow(with telling: Telling) -> [Action] {
        if write != nil {
            write?.follow(with: telling)
        } else if removal != nil {
            removal?.follow(with: telling)
        } else if running != nil {
            running?.follow(with: telling)
        } else {
            return tell(telling)
        }
        return []
    }

    /// A telling has ended; gives the next one.
    mutating func hasTold() -> Telling? {
        defer { nextTelling = nil }
        isTelling = nextTelling != nil
        return nextTelling
    }

    /// Turns away a change that may not be made.
    mutating func refuse(_ operation: Operation, _ ending: Ending) -> [Action] {
        [complete(operation, ending)]
    }

    /// Who asked for an operation has been told how it ended, or the telling of others has begun.
    mutating func told() {
        untold -= 1
    }

    /// A quiet time is over, or is cut short.
    mutating func wake(at now: Timestamp) -> [Action] {
        if let timer, timer <= now { self.timer = nil }
        return next(at: now)
    }

    /// Writes what waits now.
    mutating func hurry(at now: Timestamp) -> [Action] {
        write?.due = now
        return next(at: now)
    }

    /// The running operation ended.
    ///
    /// - Parameter mayKeep: whether a debounced value that could not be written may go on waiting; not when too many do.
    mutating func finish(_ ending: Ending, at now: Timestamp, mayKeep: Bool = true) -> [Action] {
        guard let ended = running else { return [] }
        running = nil
        if !ended.operation.isRemoval { endedWrites += 1 }
        let isKept = mayKeep && ended.operation.isDebounced && write == nil && removal == nil && ended.operation.isWorthKeeping(at: now)
        if case .failed = ending, isKept {
            // A debounced value stays pending and is tried again, ever more slowly.
            var again = ended
            again.failures += 1
            // What comes now waits its own quiet time, and does not try a failing cache at every value.
            again.since = now
            let pause = ended.operation.debounce.map { $0 * (1 << min(again.failures, 6)) } ?? .zero
            again.due = now + max(pause, .milliseconds(100))
            write = again
            return [complete(ended.operation, ending)] + wait(until: again.due)
        }
        var actions: [Action]
        if case .outdated = ending {
            actions = dropped(ended, ending)
        } else {
            actions = ([ended.operation] + ended.joined).map { complete($0, ending) }
        }
        actions += ending.isTaken ? tell(ended.telling) : passOn(ended.telling)
        return actions + next(at: now)
    }

    /// Drops a write that waits: the whole pipeline is cleared.
    mutating func dropWaitingWrite() -> [Action] {
        let waiting = write
        write = nil
        return dropped(waiting, .outdated) + passOn(waiting?.telling)
    }

    private mutating func next(at now: Timestamp) -> [Action] {
        guard running == nil else { return [] }
        if let next = removal {
            removal = nil
            running = next
            return [.run(next.operation)]
        }
        guard let next = write else { return [] }
        guard next.due <= now else { return wait(until: next.due) }
        write = nil
        running = next
        begunWrites += 1
        return [.run(next.operation)]
    }

    /// One timer at a time: it is asked for again when it fires too early.
    private mutating func wait(until due: Timestamp) -> [Action] {
        if let timer, timer <= due { return [] }
        timer = due
        return [.wait(until: due)]
    }

    /// A write that is not made any more. One that failed stays failed: that nobody tries it again is no news, and it holds no probe of
    /// the circuit that it could give back.
    private mutating func dropped(_ waiting: Waiting?, _ ending: Ending) -> [Action] {
        guard let waiting, waiting.failures == 0 else { return [] }
        return [complete(waiting.operation, ending)]
    }

    /// What was to be told of a change that was not made is told of the next one, for nobody in particular; at once when there is none.
    private mutating func passOn(_ telling: Telling?) -> [Action] {
        guard var telling else { return [] }
        guard write != nil || removal != nil else { return tell(telling) }
        let released = telling.takeCompletions()
        if write != nil { write?.follow(with: telling) } else { removal?.follow(with: telling) }
        return released.isEmpty ? [] : [.release(released)]
    }

    /// One at a time; those that come meanwhile are one.
    private mutating func tell(_ telling: Telling?) -> [Action] {
        guard let telling else { return [] }
        if isTelling {
            if nextTelling == nil { nextTelling = telling } else { nextTelling?.join(telling) }
            return []
        }
        isTelling = true
        untold += 1
        return [.tell(telling)]
    }

    private mutating func complete(_ operation: Operation, _ ending: Ending) -> Action {
        untold += 1
        return .complete(operation, ending)
    }
}
