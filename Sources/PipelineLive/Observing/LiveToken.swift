import Pipeline
import Synchronization

/// An observation that a closure receives: see `DataPipeline.observe(_:owner:_:)`. It goes on when the token is released.
public final class LiveToken: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var alarm = AlarmSlot()
        var isOver = false
    }

    /// How often it is checked that the owner is still there.
    private static let look = Duration.seconds(1)

    private let clock: PipelineClock
    private let isOwnerGone: @Sendable () -> Bool
    private let state = Mutex(State())

    init(on clock: PipelineClock, isOwnerGone: @escaping @Sendable () -> Bool) {
        self.clock = clock
        self.isOwnerGone = isOwnerGone
    }

    /// Ends the observation. A call that has begun may still be running.
    public func cancel() {
        let task = state.withLock { state in
            state.isOver = true
            state.alarm.cancel(on: clock)
            defer { state.task = nil }
            return state.task
        }
        task?.cancel()
    }

    func run(_ work: @escaping @Sendable () async -> Void) {
        // Ends with the work; cancelled by the token, and when the owner is gone.
        let task = Task {
            await work()
            self.cancel()
        }
        let isLate = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isOver
        }
        if isLate { task.cancel() } else { watchOwner() }
    }

    private func watchOwner() {
        if isOwnerGone() { return cancel() }
        state.withLock { state in
            if !state.isOver { state.alarm.set(at: clock.now + Self.look, on: clock) { _ in self.watchOwner() } }
        }
    }
}
