import Synchronization

/// How a load ends that goes on after its fetch was answered.
final class LoadEnding: Sendable {
    enum State: Sendable {
        case running
        case well
        case failed(at: Timestamp)
    }

    /// What is known, and the load that goes on in its place.
    private let known = Mutex<(state: State, next: LoadEnding?)>((.running, nil))

    var state: State {
        let (state, next) = known.withLock { $0 }
        return next?.state ?? state
    }

    /// The load came to `result`. One that was cancelled has not failed, and one that left another running has not ended.
    func end(_ result: Result<LoadReply, any Error>, at now: Timestamp) {
        let reply = try? result.get()
        let state: State = reply?.hasFailed == true ? .failed(at: now) : .well
        known.withLock { $0 = (state: state, next: reply?.ending) }
    }
}
