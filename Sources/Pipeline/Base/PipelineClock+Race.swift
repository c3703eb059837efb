import Synchronization

extension PipelineClock {
    /// Returns or throws what `work` does, or what `late` does if `end` comes first.
    ///
    /// The work has a task of its own, which begins on the caller's thread where the system can do that:
    /// - Work that ends first decides the result, and leaves nothing behind.
    /// - When `end` comes first, `leaving` is given the task and cancels it, unless you say otherwise. The work's result is dropped.
    /// - When the caller is cancelled, the task is cancelled at once, `leaving` is given it, and `CancellationError` is thrown.
    ///
    /// So work that ignores its cancellation keeps no caller waiting. To wait for its end all the same, pass `{ await $0.end() }`.
    ///
    /// - Parameters:
    ///   - end: nil for no limit; the caller then does the work itself.
    ///   - elsewhere: whether the work may block its thread, which then is not the caller's.
    ///   - late: called at `end` by the clock, which other alarms wait for: it must not wait.
    ///   - leaving: called before the caller goes on, with a task that still runs.
    ///   - dropping: called with a value that came too late, when it has to be closed or given back.
    package func race<Value: Sendable>(
        until end: Timestamp?, elsewhere: Bool = false, late: @escaping @Sendable () throws -> Value,
        leaving: (Task<Void, Never>) async -> Void = { $0.cancel() }, dropping: @escaping @Sendable (Value) async -> Void = { _ in },
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let end else { return try await work() }
        let race = Race<Value>()
        let hasEnded = Atomic(false)
        // Ends with the work; the caller's `leaving` says what becomes of it when it is late.
        let task = Task.beginning(elsewhere: elsewhere) {
            let result = await Result { try await work() }
            hasEnded.store(true, ordering: .releasing)
            if !race.finish(result), case .success(let value) = result { await dropping(value) }
        }
        if let result = race.result { return try result.get() }
        // One alarm, not a task that sleeps: most work ends long before.
        let alarm = alarms.set(at: end) { race.finish(Result(catching: late)) }
        let result = await Result { try await race.value { task.cancel() } }
        alarms.cancel(alarm)
        if !hasEnded.load(ordering: .acquiring) { await leaving(task) }
        return try result.get()
    }
}

extension PipelineClock {
    /// Waits until `moment`, whenever the wait begins; throws `CancellationError` when the task is cancelled meanwhile.
    package func sleep(until moment: Timestamp) async throws {
        let race = Race<Void>()
        let alarm = alarms.set(at: moment) { race.finish(.success(())) }
        defer { alarms.cancel(alarm) }
        try await race.value()
    }
}

/// The time limit of a wait is over.
package struct PastLimit: Error {
    /// An error of a wait whose time is over.
    package init() {}
}
