private import Synchronization

/// One thread on which every task of a simulation runs, one job at a time, in an order that the simulation decides.
///
/// The tasks that the engine starts by itself are caught by the concurrency runtime's own hook, for the jobs that this thread hands
/// in; the process's other threads keep theirs. When ``drain()`` returns, all that can happen at this moment has happened:
/// nothing has to be waited for, and a seed replays a run exactly.
package final class JobLoop: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var first = 0
        var choose: (@Sendable (Int) -> Int)?

        /// Takes out the job that runs next; nil when there is none.
        mutating func next() -> UnownedJob? {
            guard first < jobs.count else {
                jobs.removeAll(keepingCapacity: true)
                first = 0
                return nil
            }
            if let choose { jobs.swapAt(first, first + choose(jobs.count - first)) }
            first += 1
            return jobs[first - 1]
        }
    }

    // Only its own thread comes here: the lock is never waited for.
    private let state = Mutex(State())

    init() {}

    /// Picks which of so many jobs runs next; the oldest when nil.
    package var choose: (@Sendable (Int) -> Int)? {
        get { state.withLock(\.choose) }
        set { state.withLock { $0.choose = newValue } }
    }

    package func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    func add(_ job: UnownedJob) {
        state.withLock { $0.jobs.append(job) }
    }

    /// Whether no job waits to run.
    package var isIdle: Bool { state.withLock { $0.first >= $0.jobs.count } }

    /// Runs one job; false when there is none.
    package func step() -> Bool {
        guard let job = state.withLock({ $0.next() }) else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    /// Runs jobs until there is none.
    package func drain() {
        while step() {}
    }

    /// Runs jobs until there is none, at most `most`; false when some are left.
    package func drain(atMost most: Int) -> Bool {
        for _ in 0..<most where !step() { return true }
        return false
    }

    /// Starts `body` as a task of this loop.
    package func start<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> SimulatedTask<Value> {
        let started = SimulatedTask<Value>()
        // Ends with its body, or stays suspended when the simulation ends before.
        started.task = Task { started.finish(await body()) }
        return started
    }

    /// Runs `body` on a thread of its own, on which all tasks it starts run in the loop that it gets.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable (JobLoop) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            SimulationThread.start {
                let loop = JobLoop()
                JobHook.enter(loop)
                let value = body(loop)
                JobHook.leave()
                continuation.resume(returning: value)
            }
        }
    }
}

/// A task of a loop, and what it came to.
package final class SimulatedTask<Value: Sendable>: Sendable {
    private struct State {
        var result: Value?
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// What the task came to; nil while it runs.
    package var result: Value? { state.withLock(\.result) }

    fileprivate var task: Task<Void, Never>? {
        get { state.withLock(\.task) }
        set { state.withLock { $0.task = newValue } }
    }

    fileprivate func finish(_ value: Value) {
        state.withLock { $0.result = value }
    }

    package func cancel() { task?.cancel() }
}
