private import CTaskHook
private import Synchronization

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

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

        /// Takes out the job that runs next; nil if there is none.
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
    private let cancelled = Atomic(false)

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

    /// Indicates whether no job waits to run.
    package var isIdle: Bool { state.withLock { $0.first >= $0.jobs.count } }

    /// Indicates whether nobody waits for the end of the simulation any more.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

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

    /// Runs jobs until there is none or the loop is cancelled, at most `most`; false when some are left.
    package func drain(atMost most: Int) -> Bool {
        for _ in 0..<most {
            if isCancelled { return false }
            if !step() { return true }
        }
        return false
    }

    /// Starts `body` as a task of this loop.
    package func start<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> SimulatedTask<Value> {
        let started = SimulatedTask<Value>()
        // Ends with its body, or stays suspended when the simulation ends before.
        started.task = Task { started.finish(await body()) }
        return started
    }

    /// Runs `body` on a thread of its own, on which all tasks it starts run in the loop that it gets. When the task is cancelled, the loop is;
    /// `body` ends as it sees fit.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable (JobLoop) -> Value) async -> Value {
        let loop = JobLoop()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                SimulationThread.start {
                    JobHook.enter(loop)
                    let value = body(loop)
                    JobHook.leave()
                    continuation.resume(returning: value)
                }
            }
        } onCancel: {
            loop.cancelled.store(true, ordering: .relaxed)
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

    /// The result of the task; nil while it runs.
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

/// The thread of a simulation.
final class SimulationThread {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Starts a thread with a stack of 16 MiB that ends with `body`.
    static func start(_ body: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 16 << 20)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let argument = Unmanaged.passRetained(SimulationThread(body)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let failure = pthread_create(
            &thread, &attributes,
            { argument in
                #if canImport(Darwin)
                Unmanaged<SimulationThread>.fromOpaque(argument).takeRetainedValue().body()
                #else
                if let argument { Unmanaged<SimulationThread>.fromOpaque(argument).takeRetainedValue().body() }
                #endif
                return nil
            }, argument)
        precondition(failure == 0, "a thread can be started")
        pthread_attr_destroy(&attributes)
    }
}

/// The place where the runtime asks what to do with a job that is bound to no executor.
enum JobHook {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// The key under which a thread keeps its loop. The hook is set with it, once, and stays: threads without a loop pass through it.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        let slot = UnsafeMutableRawPointer(pipe_run_task_hook())?.assumingMemoryBound(to: Hook?.self)
        slot?.pointee = { job, original in
            if let loop = JobHook.current { loop.add(job) } else { original(job) }
        }
        return key
    }()

    private static var current: JobLoop? {
        pthread_getspecific(key).map { Unmanaged<JobLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Sends the jobs that this thread hands in to `loop` from now on.
    static func enter(_ loop: JobLoop) {
        pthread_setspecific(key, Unmanaged.passRetained(loop).toOpaque())
    }

    /// Ends what ``enter(_:)`` began.
    static func leave() {
        if let loop = pthread_getspecific(key) { Unmanaged<JobLoop>.fromOpaque(loop).release() }
        pthread_setspecific(key, nil)
    }
}
