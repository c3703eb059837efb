import Synchronization

/// A place where one task waits for the first of several results; later results are dropped.
package final class Race<Value: Sendable>: Sendable {
    /// No larger for a larger value, so that nothing about it has to be looked up while the program runs.
    private enum State {
        case open
        /// Resumed once: taking it out leaves ``over`` behind.
        case waiting(UnsafeContinuation<Value, any Error>)
        case early(Early)
        case over
    }

    /// A result that came before the wait.
    private final class Early: Sendable {
        let result: Result<Value, any Error>

        init(_ result: Result<Value, any Error>) { self.result = result }
    }

    private let state = Mutex(State.open)

    package init() {}

    /// The result, when it came before the wait.
    var result: Result<Value, any Error>? {
        state.withLock { if case .early(let early) = $0 { early.result } else { nil } }
    }

    /// Settles the race unless it is settled; says whether this call did.
    @discardableResult
    package func finish(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, waiter) = settle(with: result)
        waiter?.resume(with: result)
        return isFirst
    }

    /// The first result. Ends at once with `CancellationError` when the waiting task is cancelled. Await it once.
    ///
    /// - Parameter leaving: called while the waiting task is cancelled, when no result came first: abandoned work can end then, not only when
    ///   the waiting task gets its turn.
    package func value(leaving: @Sendable () -> Void = {}) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let early = state.withLock { state -> Early? in
                    if case .early(let early) = state {
                        state = .over
                        return early
                    }
                    state = .waiting(continuation)
                    return nil
                }
                if let early { continuation.resume(with: early.result) }
            }
        } onCancel: {
            let (isFirst, waiter) = settle(with: .failure(CancellationError()))
            if isFirst { leaving() }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func settle(with result: Result<Value, any Error>) -> (isFirst: Bool, waiter: UnsafeContinuation<Value, any Error>?) {
        state.withLock { state in
            switch state {
            case .early, .over: return (false, nil)
            case .open:
                state = .early(Early(result))
                return (true, nil)
            case .waiting(let continuation):
                state = .over
                return (true, continuation)
            }
        }
    }
}

extension Race {
    /// The first result, as ``value(leaving:)`` gives it. Throws ``PastLimit`` when none has come by `end`; nil waits without a limit.
    package func value(
        until end: Timestamp?, on clock: PipelineClock, leaving: @escaping @Sendable () -> Void = {}
    ) async throws -> Value {
        guard let end else { return try await value(leaving: leaving) }
        let alarm = clock.alarms.set(at: end) {
            if self.finish(.failure(PastLimit())) { leaving() }
        }
        defer { clock.alarms.cancel(alarm) }
        return try await value(leaving: leaving)
    }
}
