package import Pipeline
private import Synchronization

/// Virtual time in nanoseconds, for one ``JobLoop``: it knows who waits until when, and moves from one moment to the next.
///
/// Each process of a simulation has a ``PipelineClock`` of its own. When it ends, nothing that it waited for wakes it again.
package final class SimulatedClock: Sendable {
    fileprivate enum Wait {
        case sleep(UnsafeContinuation<Void, any Error>)
        case alarm(@Sendable () -> Void)
    }

    private struct State {
        var now = SimulatedClock.start
        var wallOffset: Int64 = 0
        var waits: [UInt64: Wait] = [:]
        /// Includes the places of waits that were cancelled.
        var order = DueHeap<UInt64>()
        var last: UInt64 = 0
        /// The number of processes that have ended.
        var ended = 0

        /// A number for a wait, larger than those before.
        mutating func number() -> UInt64 {
            last += 1
            return last
        }

        mutating func add(_ wait: Wait, _ number: UInt64, at moment: Timestamp) {
            waits[number] = wait
            order.insert(number, at: moment)
        }

        mutating func nextMoment() -> Int64? {
            while let first = order.first, waits[first] == nil { order.popFirst() }
            return order.next?.nanoseconds
        }

        mutating func popFirst() -> Wait? {
            guard let moment = nextMoment(), let number = order.popFirst() else { return nil }
            now = max(now, moment)
            return waits.removeValue(forKey: number)
        }
    }

    /// 2026-01-01T00:00:00Z.
    package static let start: Int64 = 1_767_225_600_000_000_000

    private let state = Mutex(State())
    private let loop: JobLoop

    package init(_ loop: JobLoop) {
        self.loop = loop
    }

    package var now: Int64 { state.withLock(\.now) }

    /// The clock of the process that runs now, or that begins now. Make it once for each.
    package func makeClock() -> PipelineClock { makeClock(of: state.withLock(\.ended)) }

    /// A clock for objects that outlive the processes.
    package func makeLastingClock() -> PipelineClock { makeClock(of: nil) }

    private func makeClock(of process: Int?) -> PipelineClock {
        PipelineClock(
            wall: { Timestamp(nanoseconds: self.state.withLock { $0.now.addingSaturated($0.wallOffset) }) },
            monotonic: { .nanoseconds(self.now - Self.start) + .seconds(1_000) },
            sleep: { try await self.sleep(for: $0, in: process) },
            alarms: ProcessAlarms(time: self, ahead: state.withLock(\.wallOffset), process: process))
    }

    /// The moment when the next task wakes; nil if none waits for a time.
    package var nextDeadline: Int64? { state.withLock { $0.nextMoment() } }

    /// Moves on to `moment`, waking each task on the way at its time, and runs all that follows.
    package func advance(to moment: Int64) {
        loop.drain()
        while let deadline = nextDeadline, deadline <= moment { wakeNext() }
        state.withLock { $0.now = max($0.now, moment) }
    }

    /// Moves on to `moment` from within a job, when nothing that waits wakes by then and no other job waits to run.
    package func skip(to moment: Int64) {
        state.withLock { $0.now = max($0.now, moment) }
    }

    /// Steps the wall clock. No time passes.
    package func stepWall(by nanoseconds: Int64) {
        state.withLock { $0.wallOffset = $0.wallOffset.addingSaturated(nanoseconds) }
    }

    /// Moves on to the next moment at which a task wakes, and lets all that follows happen; false when none waits for a time.
    @discardableResult
    package func wakeNext() -> Bool {
        guard wakeFirst() else { return false }
        loop.drain()
        return true
    }

    /// Wakes the next task, but lets nothing that follows happen yet.
    func wakeFirst() -> Bool {
        guard let wait = state.withLock({ $0.popFirst() }) else { return false }
        switch wait {
        case .sleep(let continuation): continuation.resume()
        case .alarm(let ring): ring()
        }
        return true
    }

    /// Ends the process: every sleep ends as cancelled, no alarm rings any more. What follows in its tasks is of no interest.
    package func abandonSleepers() {
        let abandoned = state.withLock { state in
            state.ended += 1
            defer { state.waits = [:] }
            return state.waits.sorted { $0.key < $1.key }
        }
        for case .sleep(let continuation) in abandoned.map(\.value) { continuation.resume(throwing: CancellationError()) }
        loop.drain()
    }

    private func sleep(for duration: Duration, in process: Int?) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let number = state.withLock { $0.number() }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let isOver = state.withLock { state in
                    if Task.isCancelled || process.map({ $0 < state.ended }) ?? false { return true }
                    state.add(.sleep(continuation), number, at: Timestamp(nanoseconds: state.now) + duration)
                    return false
                }
                if isOver { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            if case .sleep(let continuation)? = state.withLock({ $0.waits.removeValue(forKey: number) }) {
                continuation.resume(throwing: CancellationError())
            }
        }
    }

    fileprivate func setAlarm(at moment: Timestamp, in process: Int?, _ ring: @escaping @Sendable () -> Void) -> Alarm {
        state.withLock { state in
            let number = state.number()
            if process.map({ $0 >= state.ended }) ?? true {
                state.add(.alarm(ring), number, at: max(moment, Timestamp(nanoseconds: state.now)))
            }
            return Alarm(number: number)
        }
    }

    fileprivate func cancelAlarm(_ alarm: Alarm) {
        // What only the alarm held is released outside the lock.
        _ = state.withLock { $0.waits.removeValue(forKey: alarm.number) }
    }
}

/// The alarms of one process.
private final class ProcessAlarms: Alarms {
    private let time: SimulatedClock
    /// How far the time line of the process, which began with the wall clock, is ahead of the simulation's, in nanoseconds.
    private let ahead: Int64
    private let process: Int?

    init(time: SimulatedClock, ahead: Int64, process: Int?) {
        (self.time, self.ahead, self.process) = (time, ahead, process)
    }

    func set(at moment: Timestamp, _ ring: @escaping @Sendable () -> Void) -> Alarm {
        time.setAlarm(at: Timestamp(nanoseconds: moment.nanoseconds.subtractingSaturated(ahead)), in: process, ring)
    }

    func cancel(_ alarm: Alarm) { time.cancelAlarm(alarm) }
}
