/// The writes of one key to one cache: one at a time, in order, the last value only, after a quiet time where that is asked for.
///
/// A pure state machine: it says what to do, and ``WriteQueue`` does it.
struct WriteLane: Sendable {
    /// A change of the cache.
    struct Operation: Sendable {
        enum Change: Sendable {
            case write(Entry)
            case remove
        }

        let change: Change
        /// How long the key must be quiet before this is written; nil writes at once.
        var debounce: Duration?
        /// The longest time it may wait.
        var maxDelay: Duration = .zero
        /// The right to write it; nil is always right.
        var ticket: Generations.Ticket?
        /// Why there is nothing to write, such as that the source holds the same value: asked when it is this operation's turn.
        var sparing: (@Sendable () async -> Ending?)?
        /// Told how it ended; a debounced write that failed is tried again, and then this is called again.
        var completion: @Sendable (Ending) -> Void = { _ in }

        var isDebounced: Bool { debounce != nil }

        var isRemoval: Bool {
            if case .remove = change { true } else { false }
        }

        /// What it holds while it waits, about: the payload, and what goes with it.
        var bytes: Int {
            if case .write(let entry) = change { (entry.payload?.count ?? 0) + 256 } else { 0 }
        }

        /// Whether the value is still worth writing: not removed since, and not expired.
        func isWorthKeeping(at now: Timestamp) -> Bool {
            guard case .write(let entry) = change, ticket?.isCurrent ?? true else { return false }
            return entry.isFresh(at: now)
        }
    }

    /// How an operation ended.
    enum Ending: Sendable {
        case done
        /// The source holds the same value, and it is fresh.
        case unchanged
        case failed(any Error)
        /// A later change of the same key took its place.
        case superseded
        /// The key was removed after the value was loaded.
        case outdated
        /// The pipelines were shut down before.
        case refused
        /// The process ends before it could be written.
        case abandoned
    }

    /// What the queue has to do.
    enum Action: Sendable {
        case run(Operation)
        case wait(until: Timestamp)
        case complete(Operation, Ending)
    }

    private struct Waiting {
        var operation: Operation
        var due: Timestamp
        /// When the first value of this wait came: the longest delay counts from it.
        var since: Timestamp
        var failures = 0
    }

    /// When the timer that was asked for last fires; nil when none is under way.
    private var timer: Timestamp?
    private var running: Waiting?
    private var removal: Waiting?
    private var write: Waiting?
    private var begunWrites = 0
    private var endedWrites = 0
    /// Endings that were given out and that nobody has been told yet.
    private var untold = 0

    /// Whether nothing runs or waits.
    var isEmpty: Bool { running == nil && removal == nil && write == nil }

    /// Whether there is nothing to keep in mind: nothing runs or waits, and every ending has been told.
    var isIdle: Bool { isEmpty && untold == 0 }

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

    /// What a read of this cache sees instead of what it holds: a debounced value that is not written yet, or a removal.
    ///
    /// A value that was removed or replaced since it was loaded is not seen.
    var pending: Operation.Change? {
        if let write, write.operation.isDebounced, write.operation.ticket?.isCurrent ?? true { return write.operation.change }
        if removal != nil { return .remove }
        if let running, running.operation.isDebounced || running.operation.isRemoval { return running.operation.change }
        return nil
    }

    /// The bytes that wait to be written.
    var waitingBytes: Int { write?.operation.bytes ?? 0 }

    /// Takes a change.
    mutating func add(_ operation: Operation, at now: Timestamp) -> [Action] {
        switch operation.change {
        case .remove:
            let actions = dropped(write, .superseded)
            write = nil
            // Who asked for a removal that waits already is told when it is made, not before.
            let waiting = removal?.operation.completion
            removal = Waiting(operation: operation, due: now, since: now)
            removal?.operation.completion = { [completion = operation.completion] ending in
                waiting?(ending)
                completion(ending)
            }
            return actions + next(at: now)
        case .write:
            let since = write?.since ?? now
            let due = operation.debounce.map { min(now + $0, since + operation.maxDelay) } ?? now
            let actions = dropped(write, .superseded)
            write = Waiting(operation: operation, due: due, since: since)
            return actions + next(at: now)
        }
    }

    /// Turns away a change that may not be made.
    mutating func refuse(_ operation: Operation, _ ending: Ending) -> [Action] {
        [complete(operation, ending)]
    }

    /// Who asked for an operation has been told how it ended.
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
        if case .outdated = ending { return dropped(ended, ending) + next(at: now) }
        return [complete(ended.operation, ending)] + next(at: now)
    }

    /// Drops a write that waits: the whole pipeline is cleared.
    mutating func dropWaitingWrite() -> [Action] {
        defer { write = nil }
        return dropped(write, .outdated)
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

    private mutating func complete(_ operation: Operation, _ ending: Ending) -> Action {
        untold += 1
        return .complete(operation, ending)
    }
}
