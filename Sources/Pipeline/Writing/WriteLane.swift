/// The writes of one key to one cache: one at a time, in order, only the last value, after a quiet time where the policy asks for one.
///
/// A pure state machine: it says what to do, and ``WriteQueue`` does it.
package struct WriteLane: Sendable {
    private struct Waiting {
        var operation: Operation
        // Stored here, where the operation leaves room.
        /// Whether reads see it before it is made.
        var isSeen: Bool
        var failures: Int32 = 0
        var due: Timestamp
        /// When the first value of this wait came: the longest delay counts from it.
        var since: Timestamp
        private var aftermath = Boxed<Aftermath>.none

        /// The operations and the message that come with it.
        private struct Aftermath {
            var joined: [Operation] = []
            var message: ChangeMessage?
        }

        init(_ operation: Operation, due: Timestamp, since: Timestamp) {
            self.operation = operation
            self.due = due
            self.since = since
            isSeen = operation.isSeen
        }

        /// Operations that are made by making this one.
        var joined: [Operation] { aftermath.value?.joined ?? [] }

        /// What is published to other processes when this has ended.
        var message: ChangeMessage? { aftermath.value?.message }

        mutating func join(_ operation: Operation) {
            changeAftermath { $0.joined.append(operation) }
        }

        mutating func add(_ message: ChangeMessage) {
            changeAftermath { aftermath in
                if aftermath.message == nil { aftermath.message = message } else { aftermath.message?.join(message) }
            }
        }

        private mutating func changeAftermath(_ change: (inout Aftermath) -> Void) {
            var value = aftermath.value ?? Aftermath()
            // Released before it is changed, so that a long list is not copied.
            aftermath = .none
            change(&value)
            aftermath = .some(value)
        }
    }

    /// What a lane with a single waiting write does not need.
    private struct Rest {
        var running = Boxed<Waiting>.none
        var removal = Boxed<Waiting>.none
        var begunWrites = 0
        var endedWrites = 0
        /// How many endings and messages were given out and are not passed on yet.
        var unreported = 0
    }

    // Most lanes have a single waiting write: all else takes the room of a pointer.
    private var timerOrNever = Timestamp.distantFuture
    private var writing = Boxed<Waiting>.none
    private var resting = Boxed<Rest>.none

    /// When the timer that was asked for last fires; nil when none is under way.
    private var timer: Timestamp? {
        get { timerOrNever == .distantFuture ? nil : timerOrNever }
        set { timerOrNever = newValue ?? .distantFuture }
    }

    private var write: Waiting? {
        get { writing.value }
        set { writing = Boxed(newValue) }
    }

    private var rest: Rest {
        get { resting.value ?? Rest() }
        set { resting = .some(newValue) }
    }

    private var running: Waiting? {
        get { resting.value?.running.value }
        set { rest.running = Boxed(newValue) }
    }

    private var removal: Waiting? {
        get { resting.value?.removal.value }
        set { rest.removal = Boxed(newValue) }
    }

    /// Whether nothing runs or waits.
    var isEmpty: Bool { running == nil && removal == nil && write == nil }

    /// Whether there is nothing to remember: nothing runs or waits, and every ending is passed on.
    var isIdle: Bool { isEmpty && rest.unreported == 0 }

    /// Whether an operation runs.
    var isRunning: Bool { running != nil }

    /// Whether there is nothing to wait for: idle, or failed and put off, with every ending passed on.
    var isSettled: Bool {
        running == nil && removal == nil && rest.unreported == 0 && write.map { $0.failures > 0 } ?? true
    }

    /// Whether a write runs.
    var isWriting: Bool { running.map { !$0.operation.isRemoval } ?? false }

    /// Checks, on a later state of this lane, that the last write has ended, or the one that took its place, or that it is put off because it
    /// failed.
    var endOfLastWrite: @Sendable (WriteLane) -> Bool {
        let number = rest.begunWrites + (write == nil ? 0 : 1)
        return { $0.isSettled || $0.rest.endedWrites >= number }
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

    /// The bytes of the value that waits.
    var waitingBytes: Int { write?.operation.bytes ?? 0 }

    /// The bytes of the value that is being written or waits for a writer.
    var runningBytes: Int { running?.operation.bytes ?? 0 }

    /// The operation that runs.
    var runningOperation: Operation? { running?.operation }

    /// Takes a change.
    mutating func add(_ operation: Operation, at now: Timestamp) -> [Action] {
        let replaced = write
        var actions = dropped(replaced, .superseded)
        switch operation.change {
        case .remove:
            write = nil
            if var waiting = removal {
                // Taken out, so that the earlier removals are not copied each time. All end when it is made, not before.
                removal = nil
                waiting.join(operation)
                // What one of them must remove is not spared for another.
                if operation.sparing == nil { waiting.operation.sparing = nil }
                removal = waiting
            } else {
                removal = Waiting(operation, due: now, since: now)
            }
        case .write:
            let since = replaced?.since ?? now
            let due = operation.debounce.map { min(now + $0, since + operation.maxDelay) } ?? now
            write = Waiting(operation, due: due, since: since)
            // What the cache holds is still older than what was put.
            if replaced?.isSeen == true { write?.isSeen = true }
            if replaced?.operation.isReplacement == true { write?.operation.isReplacement = true }
            if replaced?.operation.leavesNoOlder == true { write?.operation.leavesNoOlder = true }
        }
        actions += passOn(replaced?.message)
        return actions + next(at: now)
    }

    /// Publishes `message` when the change that came last has ended for good, or the one that took its place; at once when there is none.
    mutating func publish(_ message: ChangeMessage) -> [Action] {
        guard attach(message) else { return publishNow(message) }
        return []
    }

    /// Rejects a change that must not be made.
    mutating func refuse(_ operation: Operation, _ ending: Ending) -> [Action] {
        [complete(operation, ending)]
    }

    /// An ending has been passed on, or a message handed to its publisher.
    mutating func reported() {
        rest.unreported -= 1
    }

    /// A quiet time is over, or is cut short.
    mutating func wake(at now: Timestamp) -> [Action] {
        if let timer, timer <= now { self.timer = nil }
        return next(at: now)
    }

    /// Whether the timer that was asked for last fires at `moment`.
    func wakes(at moment: Timestamp) -> Bool { timerOrNever == moment }

    /// Writes what waits now.
    ///
    /// - Parameter isAwake: whether the timer is no longer under way.
    mutating func hurry(at now: Timestamp, isAwake: Bool = false) -> [Action] {
        if isAwake { timer = nil }
        write?.due = now
        return next(at: now)
    }

    /// The running operation ended.
    ///
    /// - Parameter mayKeep: whether a debounced value that could not be written may go on waiting; not when too many do.
    mutating func finish(_ ending: Ending, at now: Timestamp, mayKeep: Bool = true) -> [Action] {
        guard let ended = running else { return [] }
        running = nil
        if !ended.operation.isRemoval { rest.endedWrites += 1 }
        let isKept = mayKeep && ended.operation.isDebounced && write == nil && removal == nil && ended.operation.isWorthKeeping(at: now)
        if case .failed = ending, isKept {
            // A debounced value stays pending and is tried again, ever more slowly.
            var again = ended
            again.failures += 1
            // A value that comes now waits its own quiet time, so that a failing cache is not tried again at every value.
            again.since = now
            again.due = now + Self.pause(after: again.failures, debounce: ended.operation.debounce ?? .zero)
            write = again
            return [complete(ended.operation, ending)] + wait(until: again.due)
        }
        var actions: [Action]
        if case .outdated = ending {
            actions = dropped(ended, ending)
        } else {
            actions = ([ended.operation] + ended.joined).map { complete($0, ending) }
        }
        actions += ending.isTaken ? publishNow(ended.message) : passOn(ended.message)
        return actions + next(at: now)
    }

    /// How long a value that could not be written waits for the next try: twice as long each time, up to five minutes.
    private static func pause(after failures: Int32, debounce: Duration) -> Duration {
        let longest = max(debounce, .seconds(300))
        return min(max(debounce * (1 << min(failures, 20)), .milliseconds(100 << Int64(min(failures - 1, 20)))), longest)
    }

    /// Drops a write that waits: the whole pipeline is cleared, or everything has ended.
    mutating func dropWaitingWrite(_ ending: Ending = .outdated) -> [Action] {
        let waiting = write
        write = nil
        return dropped(waiting, ending) + passOn(waiting?.message)
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
        rest.begunWrites += 1
        return [.run(next.operation)]
    }

    /// One timer at a time: it is asked for again when it fires too early.
    private mutating func wait(until due: Timestamp) -> [Action] {
        if let timer, timer <= due { return [] }
        timer = due
        return [.wait(until: due)]
    }

    /// Ends a write that is no longer made. One that failed stays failed, without another ending: it holds no probe of the circuit to give
    /// back.
    private mutating func dropped(_ waiting: Waiting?, _ ending: Ending) -> [Action] {
        guard let waiting, waiting.failures == 0 else { return [] }
        return [complete(waiting.operation, ending)]
    }

    /// The message of a change that was not made is published after the next one, without its completions; at once when there is none.
    private mutating func passOn(_ message: ChangeMessage?) -> [Action] {
        guard var message else { return [] }
        guard write != nil || removal != nil else { return publishNow(message) }
        let released = message.takeCompletions()
        _ = attach(message)
        return released.isEmpty ? [] : [.release(released)]
    }

    /// False when there is no change.
    private mutating func attach(_ message: ChangeMessage) -> Bool {
        if write != nil {
            write?.add(message)
        } else if removal != nil {
            removal?.add(message)
        } else if running != nil {
            running?.add(message)
        } else {
            return false
        }
        return true
    }

    private mutating func publishNow(_ message: ChangeMessage?) -> [Action] {
        guard let message else { return [] }
        rest.unreported += 1
        return [.publish(message)]
    }

    private mutating func complete(_ operation: Operation, _ ending: Ending) -> Action {
        rest.unreported += 1
        return .complete(operation, ending)
    }
}
