import Synchronization

/// A load that waits at a source until it becomes part of a call.
final class Gathered: Sendable {
    private struct State {
        var call: GatheredCall?
        var isGone = false
    }

    let call: Call
    let trail: Trail
    let standing: Standing
    let gatherer: Gatherer
    /// When it began to wait.
    let since: Timestamp
    /// When it must have its reply: the wait is part of that time.
    let end: Timestamp
    private let race = Race<SharedReply>()
    private let state = Mutex(State())

    init(_ call: Call, _ trail: Trail, _ standing: Standing, at gatherer: Gatherer, since: Timestamp, until end: Timestamp) {
        (self.call, self.trail, self.standing) = (call, trail, standing)
        (self.gatherer, self.since, self.end) = (gatherer, since, end)
    }

    /// The reply of the call that it becomes part of. Throws `CancellationError` at once when the task is cancelled; the call goes on for the
    /// others.
    func reply() async throws -> LoadReply {
        if let member = call.member { member.wait(self) } else { Gatherer.submit([self]) }
        return try await race.value(leaving: leave).value
    }

    private func leave() {
        let begun = state.withLock { state in
            state.isGone = true
            return state.call
        }
        call.member?.stopWaiting(self)
        gatherer.remove(self)
        begun?.leave()
    }

    /// It is part of `gathered` from now on.
    func begin(_ gathered: GatheredCall) {
        call.member?.beginCall()
        let isGone = state.withLock { state in
            state.call = gathered
            return state.isGone
        }
        if isGone { gathered.leave() }
    }

    /// Its call has ended.
    func finish(_ result: Result<SharedReply, any Error>) { race.finish(result) }
}

/// One call of a source for several loads; cancelled when the last of them is.
final class GatheredCall: Sendable {
    private struct State {
        var count: Int
        var task: Task<Void, Never>?
    }

    private let state: Mutex<State>

    /// A call for `count` loads.
    init(_ count: Int) { state = Mutex(State(count: count)) }

    /// One of the loads was cancelled.
    func leave() {
        state.withLock { state in
            state.count -= 1
            return state.count == 0 ? state.task : nil
        }?.cancel()
    }

    /// `task` is the call.
    func keep(_ task: Task<Void, Never>) {
        let isLeft = state.withLock { state in
            state.task = task
            return state.count == 0
        }
        if isLeft { task.cancel() }
    }
}
