import Pipeline
import Synchronization

/// What happens to the caches' copies of one key, one after the other, in the order of arrival.
final class LiveLane: Sendable {
    private struct State {
        var isBusy = false
        /// Each lets what waits go on; false where it waits no longer.
        var waiting: [@Sendable () -> Bool] = []
    }

    private let state = Mutex(State())

    /// Does `work` when all that came before has ended. It is not cut short when the caller is cancelled.
    func run<Value>(_ work: () async -> Value) async -> Value {
        await enter()
        defer { leave() }
        return await work()
    }

    /// Does `work` when all that came before has ended, for a caller that may be cancelled while it waits: it does no `work` then, and
    /// throws `CancellationError`.
    func runUnlessCancelled(_ work: () async -> Void) async throws {
        let race = Race<Void>()
        if !enterIfFree(orWait: { race.finish(.success(())) }) { try await race.value() }
        defer { leave() }
        await work()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = enterIfFree {
                continuation.resume()
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Whether the lane was free; else `next` is called when it is.
    private func enterIfFree(orWait next: @escaping @Sendable () -> Bool) -> Bool {
        state.withLock { state in
            defer { state.isBusy = true }
            if state.isBusy { state.waiting.append(next) }
            return !state.isBusy
        }
    }

    private func leave() {
        while true {
            let next = state.withLock { state -> (@Sendable () -> Bool)? in
                if state.waiting.isEmpty {
                    state.isBusy = false
                    return nil
                }
                return state.waiting.removeFirst()
            }
            if next?() ?? true { return }
        }
    }
}
