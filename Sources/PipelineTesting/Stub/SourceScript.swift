import Pipeline
import Synchronization

/// The script of a source, and the calls it has received. Tests use it through ``ScriptedSource``.
public final class SourceScript: Sendable {
    let name: String
    let clock: PipelineClock
    private let state: Mutex<State>

    init(name: String, clock: PipelineClock, answer: StubAnswer) {
        self.name = name
        self.clock = clock
        state = Mutex(State(standing: answer))
    }

    struct State {
        /// The answer when none is queued.
        var standing: StubAnswer
        /// Takes the place of `standing` when set.
        var choose: (@Sendable (Key) -> StubAnswer)?
        var queued: [StubAnswer] = []
        var failures: [StubOperation: (any Error)?] = [:]
        var pauses: [StubOperation: StubPause] = [:]

        fileprivate(set) var calls: [StubCall] = []
        fileprivate(set) var begun = Tally()
        fileprivate(set) var finished = Tally()
        fileprivate(set) var running = Tally()
        fileprivate(set) var peak = Tally()
        fileprivate(set) var notModified = 0
        fileprivate(set) var cancellations = 0
        fileprivate var begunObservers: [StubOperation: CountObservers] = [:]
        fileprivate var finishedObservers: [StubOperation: CountObservers] = [:]
        fileprivate var cancellationObservers = CountObservers()

        mutating func forgetCalls() {
            calls = []
            begun = Tally()
            finished = Tally()
            peak = running
            notModified = 0
            cancellations = 0
        }
    }

    /// A count for each operation.
    struct Tally {
        private var counts: [StubOperation: Int] = [:]

        subscript(operation: StubOperation) -> Int {
            get { counts[operation, default: 0] }
            set { counts[operation] = newValue }
        }
    }

    /// The decision that was made for a call when it began.
    fileprivate struct Decision {
        let pause: StubPause?
        let failure: (any Error)?
    }

    func withState<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
        state.withLock(body)
    }

    /// Records `call`, then does `body` unless the script says that it fails. `body` gets the time at which the call began, and when its delay
    /// was over.
    func perform<Result: Sendable>(
        _ call: StubCall, _ body: (_ began: Timestamp, _ ready: Timestamp) async throws -> Result
    ) async throws -> Result {
        let began = clock.now
        let operation = call.operation
        let (decision, observers) = state.withLock { state in
            (state.decision(for: operation, of: name), state.begin(call))
        }
        observers.admit()
        defer { state.withLock { $0.finish(operation) }.admit() }
        return try await withTaskCancellationHandler {
            let ready = try await decision.pause?.pass(on: clock, since: began) ?? began
            if let failure = decision.failure { throw failure }
            return try await body(began, ready)
        } onCancel: {
            state.withLock { $0.noteCancellation() }.admit()
        }
    }

    /// Records `call` and does `body` at once, unless the script says that it fails.
    func performNow<Value>(_ call: StubCall, _ body: () throws -> Value) throws -> Value {
        let operation = call.operation
        let (decision, observers) = state.withLock { state in
            (state.decision(for: operation, of: name), state.begin(call))
        }
        observers.admit()
        defer { state.withLock { $0.finish(operation) }.admit() }
        if let failure = decision.failure { throw failure }
        return try body()
    }

    /// The answer to a read of `key`; nil for a miss. `contents` is what the source holds.
    func answer(to key: Key, began: Timestamp, ready: Timestamp, contents: @Sendable () -> Entry?) async throws -> Entry? {
        let (queued, choose, standing) = state.withLock { state in
            (state.queued.isEmpty ? nil : state.queued.removeFirst(), state.choose, state.standing)
        }
        let answer = queued ?? choose?(key) ?? standing
        var moment = ready
        for pause in answer.pauses { moment = try await pause.pass(on: clock, since: moment) }
        switch answer.outcome {
        case .value(let make): return make(began)
        case .entry(let entry): return entry
        case .notFound: return .notFound(created: began)
        case .miss: return nil
        case .error(let error): throw error ?? SourceError("\(name) fails")
        case .contents: return contents()
        }
    }

    func noteNotModified() {
        state.withLock { $0.notModified += 1 }
    }

    func waitForBegun(_ operation: StubOperation, atLeast count: Int) async {
        let waiter = WaitingTask()
        state.withLock { state in
            state.begunObservers[operation, default: CountObservers()]
                .add(waiter, waitingFor: count, present: state.begun[operation])
        }
        try? await waiter.wait {
            state.withLock { $0.begunObservers[operation]?.remove(waiter) }
        }
    }

    func waitForFinished(_ operation: StubOperation, atLeast count: Int) async {
        let waiter = WaitingTask()
        state.withLock { state in
            state.finishedObservers[operation, default: CountObservers()]
                .add(waiter, waitingFor: count, present: state.finished[operation])
        }
        try? await waiter.wait {
            state.withLock { $0.finishedObservers[operation]?.remove(waiter) }
        }
    }

    func waitForCancellations(atLeast count: Int) async {
        let waiter = WaitingTask()
        state.withLock { state in
            state.cancellationObservers.add(waiter, waitingFor: count, present: state.cancellations)
        }
        try? await waiter.wait {
            state.withLock { $0.cancellationObservers.remove(waiter) }
        }
    }
}

extension SourceScript.State {
    fileprivate func decision(for operation: StubOperation, of name: String) -> SourceScript.Decision {
        let failure: (any Error)? =
            switch failures[operation] {
            case .none: nil
            case .some(let error): error ?? SourceError("\(name) fails")
            }
        return SourceScript.Decision(pause: pauses[operation], failure: failure)
    }

    fileprivate mutating func begin(_ call: StubCall) -> [WaitingTask] {
        let operation = call.operation
        calls.append(call)
        begun[operation] += 1
        running[operation] += 1
        peak[operation] = max(peak[operation], running[operation])
        return begunObservers[operation]?.reached(begun[operation]) ?? []
    }

    fileprivate mutating func finish(_ operation: StubOperation) -> [WaitingTask] {
        running[operation] -= 1
        finished[operation] += 1
        return finishedObservers[operation]?.reached(finished[operation]) ?? []
    }

    fileprivate mutating func noteCancellation() -> [WaitingTask] {
        cancellations += 1
        return cancellationObservers.reached(cancellations)
    }
}
