private import Dispatch
private import Synchronization

/// Work that libFuzzer's loop, which cannot await, looks at until it has ended.
final class Work: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let isDone = Mutex(false)

    /// Begins `body`. Whoever begins it waits for its end.
    init(_ body: @escaping @Sendable () async -> Void) {
        Task {
            await body()
            isDone.withLock { $0 = true }
            ended.signal()
        }
    }

    var hasEnded: Bool { isDone.withLock { $0 } }

    /// Waits for the end for so many milliseconds; tells whether it has come.
    func wait(milliseconds: Int) -> Bool { ended.wait(timeout: .now() + .milliseconds(milliseconds)) == .success }

    /// Waits for the end.
    func wait() { ended.wait() }
}
