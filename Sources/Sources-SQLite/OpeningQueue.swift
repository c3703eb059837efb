internal import Dispatch
internal import Pipeline

/// The queue in which databases are opened, closed and set aside: that waits for the disk and for other processes, so it is done one at a
/// time, and not on a thread of the caller.
struct OpeningQueue: Sendable {
    private let queue = DispatchQueue(label: "pipe-run.sqlite")

    /// Returns the value of `body`; the caller stays until the end.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }

    /// Runs `body` for a caller that waits no longer than until `end`; `body` goes on.
    func run(until end: Timestamp, on clock: PipelineClock, _ body: @escaping @Sendable () -> Void) async {
        try? await clock.race(until: end, late: {}) { await run(body) }
    }

    /// Runs `body` for a caller that leaves at once when it is cancelled; `body` then gives up waiting, too.
    func open<Value: Sendable>(
        waiting wait: BusyWait, _ body: @escaping @Sendable (BusyWait) throws -> Value
    ) async throws -> Value {
        let race = Race<Value>()
        wait.beginOpening()
        queue.async {
            let result = Result { try body(wait) }
            wait.endOpening()
            race.finish(result)
        }
        return try await withTaskCancellationHandler {
            try await race.value()
        } onCancel: {
            wait.giveUpOpening()
        }
    }
}
