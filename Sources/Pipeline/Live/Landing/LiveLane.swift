import Synchronization

/// What happens to the caches' copies of one key, one after the other, in the order of arrival.
final class LiveLane: Sendable {
    private struct State {
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Does `work` when all that came before has ended. It is not cut short when the caller is cancelled.
    func run<Value>(_ work: () async -> Value) async -> Value {
        await enter()
        defer { leave() }
        return await work()
    }

    private func enter() async {
        let isFree = state.withLock { state in
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isFree { return }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isBusy {
                    state.waiting.append(continuation)
                    return false
                }
                state.isBusy = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.isBusy = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
